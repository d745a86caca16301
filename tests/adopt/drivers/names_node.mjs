// Print the tools that openapi-mcp-generator and @ivotoby/openapi-mcp-server make of documents: a JSON list of paths on
// stdin; on stdout a list of {generator, former, ivotoby, plain} of names, null where the package refuses the document.
import { readFileSync } from 'node:fs'

console.error = console.warn = console.log = () => {}
const { getToolsFromOpenApi } = await import('openapi-mcp-generator')
const former = await import('generator3')
const { ToolsManager } = await import('@ivotoby/openapi-mcp-server')

async function orNull(make) {
  try {
    return await make()
  } catch {
    return null
  }
}

async function generated(get, path) {
  return (await get(path, { dereference: true })).map((tool) => tool.name)
}

async function ivotoby(path, disableAbbreviation) {
  const tools = new ToolsManager({ openApiSpec: path, specInputMethod: 'file', disableAbbreviation, verbose: false })
  await tools.initialize()
  return tools.getToolsWithIds().map(([id, tool]) => [id, tool.name])
}

const found = []
for (const path of JSON.parse(readFileSync(0, 'utf8'))) {
  found.push({
    generator: await orNull(() => generated(getToolsFromOpenApi, path)),
    former: await orNull(() => generated(former.getToolsFromOpenApi, path)),
    ivotoby: await orNull(() => ivotoby(path, undefined)),
    plain: await orNull(() => ivotoby(path, true)),
  })
}
process.stdout.write(JSON.stringify(found), () => process.exit(0))
