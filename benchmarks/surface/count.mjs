// One JSON text a line on stdin, the number of its o200k tokens a line on stdout. Nothing in a text is a special token.
import { createInterface } from "node:readline";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

const plain = { disallowedSpecial: new Set() };
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${countTokens(JSON.parse(line), plain)}\n`);
}
