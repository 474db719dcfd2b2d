import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { parseAst } from 'vite'

const counted = /\/(host|plugin-sdk|plugins\/[^/]+\/[^/]+)\/src\//
const built = /\/dist\/([a-z-]+)\.([a-z0-9-]+)\.js$/
const lists = { platform: 'platforms', provider: 'providers', toolset: 'toolsets', 'web-backend': 'webBackends', image: 'images' }

/** TypeScript runs as it is written, and each function of the product reports that it was entered. */
export async function load(url, context, next) {
  const [, kind, id] = built.exec(url) ?? []
  if (kind in lists && url.includes('/plugins/')) return { format: 'module', shortCircuit: true, source: takeFromSource(url, kind, id) }
  if (!url.endsWith('.ts')) return next(url, context)
  const text = await readFile(fileURLToPath(url), 'utf8')
  const { code } = await transform(text, { loader: 'ts', target: 'node20', sourcefile: url })
  const isCounted = counted.test(url) && !url.includes('/testing/')
  return { format: 'module', shortCircuit: true, source: isCounted ? reportEntries(code) : code }
}

/** The entry of a bundled plugin, from its definition instead of its bundle. */
function takeFromSource(url, kind, id) {
  const file = url.replace(built, '/src/plugin.ts')
  return `import definition from ${JSON.stringify(file)}\nexport default (await definition.${lists[kind]}[${JSON.stringify(id)}].entry()).default`
}

function reportEntries(code) {
  const inserted = []
  visit(parseAst(code), (node) => {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type) || !node.body) return
    if (node.body.type === 'BlockStatement') inserted.push([node.body.start + 1, 'globalThis.journey?.enter();'])
    else inserted.push([node.body.start, '(globalThis.journey?.enter(),('], [node.body.end, '))'])
  })
  let text = code
  // Where one function ends at the place of another, the inner one was visited later.
  const order = inserted
    .map(([at, words], index) => ({ at, words, index }))
    .sort((one, other) => other.at - one.at || one.index - other.index)
  for (const { at, words } of order) text = text.slice(0, at) + words + text.slice(at)
  return text
}

function visit(node, see) {
  see(node)
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (typeof child?.type === 'string') visit(child, see)
}
