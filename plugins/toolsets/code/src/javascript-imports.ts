/**
 * A part of the helper for JavaScript. A script that lives on in an interpreter is no module, so what only a module may say is said in other words: an
 * `import` becomes a constant in its place, `import(…)` and `import.meta` a call and a name. Where these stand is asked of the compiler, which alone
 * knows what is code and what is text.
 */
export const javascriptImports = String.raw`
globalThis.agent_inspect = inspect
globalThis.agent_import = (name, more) => {
  const isPath = /^\.{0,2}\//.test(name)
  return import(isPath ? new URL(name, pathToFileURL(process.cwd() + '/')).href : name, more)
}
globalThis.agent_pick = (module, name, wanted) => {
  const missing = wanted.find((each) => !(each in module))
  if (missing !== undefined) throw new SyntaxError("The requested module '" + name + "' does not provide an export named '" + missing + "'")
  return module
}
Object.defineProperty(globalThis, 'agent_meta', {
  get: () => ({ url: pathToFileURL(process.cwd() + '/script.mjs').href, dirname: process.cwd(), filename: process.cwd() + '/script.mjs' }),
})

const shell = '(async()=>{'
const problemOf = async (code) => {
  const expression = shell + code + '\n})'
  const { exceptionDetails: found } = await post('Runtime.compileScript', { expression, sourceURL: '', persistScript: false })
  if (!found) return undefined
  const lines = [...code.matchAll(/\r\n|[\n\r\u2028\u2029]/g)].map((each) => each.index + each[0].length)
  const at = found.lineNumber === 0 ? found.columnNumber - shell.length : (lines[found.lineNumber - 1] ?? 0) + found.columnNumber
  return { text: found.exception?.description ?? '', at }
}

const statement =
  /import\s*(?:([^\s,{}*'"]+)\s*,?\s*)?(?:\*\s*as\s+([^\s,{}*'"]+)|\{([^}]*)\})?\s*(?:\bfrom\s*)?(['"])(.+?)\4(?:\s*(?:with|assert)\s*(\{[^}]*\}))?/y
const constantOf = ([whole, first, all, names = '', , from, attributes]) => {
  const module = JSON.stringify(from)
  const pairs = names
    .replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => each.split(/\s+as\s+/))
    .map(([name, local = name]) => ({ name: name.replaceAll(/^['"]|['"]$/g, ''), local }))
  if (first) pairs.push({ name: 'default', local: first })
  const loaded = 'await agent_import(' + module + (attributes ? ', { with: ' + attributes + ' }' : '') + ')'
  const picked = 'agent_pick(' + loaded + ', ' + module + ', ' + JSON.stringify(pairs.map(({ name }) => name)) + ')'
  const parts = pairs.map(({ name, local }) => JSON.stringify(name) + ': ' + local).join(', ')
  const said = all ? 'const ' + all + ' = ' + picked + ', { ' + parts + ' } = ' + all : parts ? 'const { ' + parts + ' } = ' + picked : loaded
  return said + ';' + '\n'.repeat(whole.split('\n').length - 1)
}

const withStatements = async (given) => {
  let code = given
  for (;;) {
    const problem = await problemOf(code)
    if (!problem) return { code, compiles: true }
    // It names the first or the last word of what it is about.
    const at = code.lastIndexOf('import', problem.at)
    statement.lastIndex = at
    const found = /^SyntaxError: Cannot use import statement/.test(problem.text) && statement.exec(code)
    const isMeta = /^SyntaxError: Cannot use 'import\.meta'/.test(problem.text) && /^import\s*\.\s*meta/.exec(code.slice(at))
    if (at < 0 || (!found && !isMeta)) return { code, compiles: false }
    const [instead, length] = found ? [constantOf(found), found[0].length] : ['agent_meta', isMeta[0].length]
    code = code.slice(0, at) + instead + code.slice(at + length)
  }
}

const withImports = async (given) => {
  if (!/\bimport\b/.test(given)) return given
  await post('Runtime.enable')
  try {
    let { code, compiles } = await withStatements(given)
    if (!compiles) return code
    for (const { index } of [...code.matchAll(/(?<![\w$.#])import(?=\s*\()/g)].reverse()) {
      // In a text or a comment this character is no fault.
      const isCode = await problemOf(code.slice(0, index) + '@' + code.slice(index))
      if (isCode) code = code.slice(0, index) + 'agent_import' + code.slice(index + 'import'.length)
    }
    return code
  } finally {
    await post('Runtime.disable')
  }
}
`
