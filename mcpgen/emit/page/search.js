// What a model would get from the search of a generated server: the answer to `search_tools`, and its tokens.

/** The answer to some queries, as the server writes it. `toolOf`: number in the index → tool. */
function answerOf(retriever, notation, { ROWS, MOST_GROUPS }, toolOf, queries) {
  const told = new Set(), shown = retriever.groups();
  const groups = shown.slice(0, MOST_GROUPS).map(([group, count]) => group + " " + count).join(", ");
  const nothing = "Nothing here does that. Groups: " + groups + (shown.length > MOST_GROUPS ? ", and smaller ones" : "") + ".";
  return queries.map((query) => {
    const { hits, fits, sure } = retriever.search(query, ROWS), asked = retriever.stems(query);
    const lines = queries.length > 1 ? ["# " + query.split(/\s+/).join(" ")] : [];
    if (!fits) lines.push(nothing + (hits.length ? " The nearest:" : ""));
    else if (!sure) lines.push("Perhaps nothing here does that. The nearest:");
    hits.forEach(({ tool, sources }, place) => {
      const first = place === 0 && fits;
      if (!told.has(tool)) lines.push(first ? notation.described(toolOf(tool)) : notation.row(toolOf(tool), asked, retriever.stems));
      else if (first) lines.push(retriever.names[tool] + ": see above");
      told.add(tool);
      for (const [argument, source] of sources) {
        if (told.has(source)) continue;
        told.add(source);
        lines.push("    " + argument + " \u2190 " + notation.signature(toolOf(source), [], retriever.stems));
      }
    });
    return lines.join("\n");
  }).join("\n\n");
}

/** Makes the panel answer: the index is read when something is asked for the first time. */
function drawSearch(search, toolNamed) {
  const field = byId("ask"), answer = byId("answer"), cost = byId("answer-cost");
  const { MOST_QUERIES, LONGEST_QUERY } = search.numbers;
  let retriever, notation;
  const show = () => {
    const queries = [...new Set(field.value.split("\n").map((each) => each.trim().slice(0, LONGEST_QUERY)).filter(Boolean))].slice(0, MOST_QUERIES);
    retriever ||= retrieverOf(search);
    notation ||= notationOf(search);
    const text = queries.length ? answerOf(retriever, notation, search.numbers, (tool) => toolNamed(retriever.names[tool]), queries) : "";
    answer.replaceChildren(visible(text));
    answer.hidden = !text;
    cost.textContent = text ? "about " + counted(estimatedTokens(text), "token") : "";
  };
  field.addEventListener("input", show);
}
