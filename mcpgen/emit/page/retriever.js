// The search of a generated server (runtime/search/retriever.py, which has its theory), so that the page answers as it does.

function retrieverOf({ index, numbers, stop, verbs, synonyms, questions, general }) {
  const STOP = new Set(stop), GENERAL = new Set(general), QUESTIONS = new Set(questions), VERBS = new Map(Object.entries(verbs)), SYNONYMS = new Map(Object.entries(synonyms));
  const { SYNONYM, PURPOSE, UNFIT, FEW, MOST_CLAUSES, LONGEST_STEM, LEAST_EXPLAINED, SURELY_EXPLAINED, SCALE, VERB, UNKNOWN } = numbers;
  const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|(?:(?![A-Za-z])[\p{L}\p{Nl}\p{No}])+/gu;
  const TOKENS = /[\p{L}\p{N}]+/gu;
  const CLAUSES = /(?:[,.](?![0-9])|[;:?!\n])+|\b(?:and|then|after|afterwards|before|so that)\b/i;
  const ASIDE = /\bto (?!(?:an?|the|my|our|your|his|her|their|its|this|that|these|those|me|it|us|them|him|all|any|some|each|every|one|another)\b)| (?:when|while|until|if|because|since|where)\b/i;
  const { names } = index;
  const terms = new Map(Object.entries(index.terms)), postings = new Map();
  const stemsOfNames = names.map((name) => new Set(stems(name)));
  const named = new Map();
  stemsOfNames.forEach((own, place) => own.forEach((word) => named.set(word, [...(named.get(word) || []), place])));

  function stem(word) {
    if (word.length < 4 || /[^\0-\x7f]/.test(word) || /^[0-9]+$/.test(word)) return word;
    if (word.endsWith("ies")) word = word.slice(0, -3) + "y";
    else if (/(?:sses|shes|ches|xes|zes)$/.test(word)) word = word.slice(0, -2);
    else if (word.endsWith("s") && !/(?:ss|us|is)$/.test(word)) word = word.slice(0, -1);
    for (const [ending, shortest] of [["ing", 6], ["ed", 5], ["ion", 6]]) {
      if (!word.endsWith(ending) || word.length < shortest) continue;
      word = word.slice(0, -ending.length);
      const last = word.at(-1);
      if (last === word.at(-2) && !"lsz".includes(last)) word = word.slice(0, -1);
      break;
    }
    if (word.length > 3 && word.endsWith("e")) word = word.slice(0, -1);
    word = word.slice(0, LONGEST_STEM);
    return word.endsWith("y") && word.length > 3 ? word.slice(0, -1) + "i" : word;
  }

  function stems(text) {
    return (text.match(WORDS) || []).map((each) => each.toLowerCase()).filter((word) => !STOP.has(word)).map(stem);
  }

  const tokensOf = (text) => text.match(TOKENS) || [];
  const synonymsOf = (word) => SYNONYMS.get(word) || [];
  const idf = (count) => Math.log(1 + (names.length - count + 0.5) / (count + 0.5));
  const byName = (one, other) => (names[one] < names[other] ? -1 : 1);

  /** Neighbours that tools write as one word, and its stem. */
  function joined(text) {
    const words = tokensOf(text).map((each) => each.toLowerCase());
    return words.slice(1).map((two, place) => [words[place], two, stem(words[place] + two)]).filter(([, , whole]) => terms.has(whole));
  }

  const wordsOf = (text) => [...stems(text), ...joined(text).map(([, , whole]) => whole)];

  /** [number, impact] of each tool that has the word. The index holds differences of numbers. */
  function postingsOf(word) {
    if (postings.has(word)) return postings.get(word);
    const raw = terms.get(word) || [], found = [];
    for (let place = 0, last = 0; place < raw.length; place += 2) found.push([(last += raw[place]), raw[place + 1]]);
    postings.set(word, found);
    return found;
  }

  /** Word → its weight in the text. The words of a purpose ("to" with a verb) or condition weigh less. */
  function weightsOf(text) {
    const weights = new Map(), raise = (word, weight) => weights.set(word, Math.max(weights.get(word) || 0, weight));
    const aside = ASIDE.exec(text), pieces = aside ? [text.slice(0, aside.index), text.slice(aside.index + aside[0].length)] : [text];
    pieces.forEach((piece, place) => {
      const own = place === 0 ? 1 : PURPOSE;
      for (const word of wordsOf(piece)) {
        raise(word, own);
        for (const other of synonymsOf(word)) raise(other, own * SYNONYM);
      }
    });
    return weights;
  }

  /** The effect that a query asks for by its first words, or "". */
  function effectOf(query) {
    if (QUESTIONS.has((query.match(/^[A-Za-z]+/) || [""])[0].toLowerCase())) return "r";
    const verb = stems(query).slice(0, 2).find((word) => VERBS.has(word));
    return verb === undefined ? "" : VERBS.get(verb);
  }

  /** Tool → its score for a text. */
  function scoresOf(text) {
    const found = new Map(), shares = new Map(), effect = effectOf(text), add = (to, tool, more) => to.set(tool, (to.get(tool) || 0) + more);
    for (const [word, weight] of weightsOf(text)) {
      for (const [tool, impact] of postingsOf(word)) add(found, tool, weight * impact);
      for (const tool of named.get(word) || []) add(shares, tool, weight);
    }
    return new Map([...found].map(([tool, score]) => {
      const share = shares.has(tool) ? shares.get(tool) / stemsOfNames[tool].size : 0;
      return [tool, score * (1 + share) * (effect && index.effects[tool] !== effect ? UNFIT : 1)];
    }));
  }

  const isName = (place, written) => place > 0 && /^\p{Lu}/u.test(written) && written !== "I";
  const knows = (word) => [word, ...synonymsOf(word)].some((own) => terms.has(own));
  const largest = (numbers) => numbers.reduce((one, other) => Math.max(one, other), 0);

  /** Tool → how strongly it has a word or a synonym, at most 1. */
  function strengthsOf(word) {
    const best = new Map();
    for (const each of [word, ...synonymsOf(word)]) {
      const full = SCALE * idf(postingsOf(each).length);
      for (const [tool, impact] of postingsOf(each)) best.set(tool, Math.max(best.get(tool) || 0, Math.min(1, impact / full)));
    }
    return best;
  }

  /** Each word of a query → its kind: object, verb or general (runtime/search/coverage.py, which has the theory). */
  function kindsOf(query) {
    const pairs = joined(query), parts = new Set(pairs.flatMap(([one, two]) => [one, two]));
    const kinds = new Map(pairs.map(([, , whole]) => [whole, "object"]));
    tokensOf(query).forEach((each, place) => {
      for (const word of parts.has(each.toLowerCase()) ? [] : stems(each)) {
        if (kinds.has(word) || (isName(place, each) && !knows(word))) continue;
        kinds.set(word, GENERAL.has(word) ? "general" : VERBS.has(word) || place === 0 ? "verb" : "object");
      }
    });
    return kinds;
  }

  /** Each word of a query → how much it counts. */
  function counted(query) {
    const kinds = kindsOf(query), of = (kind) => [...kinds.keys()].filter((word) => kinds.get(word) === kind);
    const whole = (words) => words.map((word) => [word, knows(word) ? 1 : UNKNOWN]), verbs = of("verb");
    if (of("object").length) return new Map([...whole(of("object")), ...verbs.map((word) => [word, VERB])]);
    return new Map(whole(verbs.length ? verbs : [...kinds.keys()]));
  }

  /** The share of these words that the best tool has. */
  function shareOf(words) {
    const found = new Map();
    for (const [word, share] of words) {
      for (const [tool, strength] of strengthsOf(word)) found.set(tool, (found.get(tool) || 0) + share * strength);
    }
    const best = largest([...found.values()]);
    return best ? best / [...words.values()].reduce((one, other) => one + other, 0) : 0;
  }

  /** The best tools: {hits: [{tool, sources: [[argument, tool]]}], fits, sure}. */
  function search(query, limit) {
    const clauses = query.split(CLAUSES).filter((each) => stems(each).length > 1).map((each) => each.trim()).slice(0, MOST_CLAUSES);
    const parts = [query, ...(clauses.length > 1 ? clauses : [])], merged = new Map();
    const share = parts.reduce((most, each) => (most < SURELY_EXPLAINED ? Math.max(most, shareOf(counted(each))) : most), 0);
    for (const scores of parts.map(scoresOf)) {
      const highest = largest([...scores.values()]);
      for (const [tool, score] of scores) {
        merged.set(tool, Math.max(merged.get(tool) || 0, score < highest ? score / highest : 1 + score));
      }
    }
    const most = share >= LEAST_EXPLAINED ? limit : Math.min(limit, FEW);
    const best = [...merged.keys()].sort((one, other) => merged.get(other) - merged.get(one) || byName(one, other)).slice(0, most);
    const fits = best.length > 0 && share >= LEAST_EXPLAINED;
    return { hits: best.map((tool) => ({ tool, sources: index.sources[tool] || [] })), fits, sure: fits && share >= SURELY_EXPLAINED };
  }

  /** Group → how many tools it has, the largest first. */
  function groups() {
    const counts = new Map();
    for (const group of index.group) counts.set(index.groups[group], (counts.get(index.groups[group]) || 0) + 1);
    return [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
  }

  return { names, stems, search, groups };
}
