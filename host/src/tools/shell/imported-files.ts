/** Files of the folder that a text in Python or JavaScript may bring in, as they would be called. Most of these are not there. */
export function importedFiles(text: string): readonly string[] {
  return [...new Set([...pythonModules(text).flatMap(pythonFiles), ...scriptModules(text).flatMap(scriptFiles)])]
}

function pythonModules(text: string): readonly string[] {
  const imports = [...text.matchAll(/(?:^|[\n;:])[ \t]*import[ \t]+([\w., \t]+)/g)].flatMap(([, names = '']) => names.split(','))
  const from = [...text.matchAll(/(?:^|[\n;:])[ \t]*from[ \t]+\.*([\w.]*)[ \t]+import[ \t]+\(?([\w, \t]*)/g)]
  const inside = from.flatMap(([, name = '', parts = '']) => [name, ...parts.split(',').map((part) => `${name}.${part.trim()}`)])
  return [...imports, ...inside].map((name) => name.trim().replace(/\s.*$/s, '').replace(/^\./, ''))
}

/** `a.b` runs `a/__init__.py` as well. */
function pythonFiles(name: string): readonly string[] {
  const parts = name.split('.').filter((part) => part !== '')
  return parts.flatMap((_part, index) => {
    const path = parts.slice(0, index + 1).join('/')
    return [`${path}.py`, `${path}/__init__.py`]
  })
}

const scriptModules = (text: string): readonly string[] =>
  [...text.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"`](\.{1,2}\/[^'"`\n]{1,300}|\/[^'"`\n]{1,300})['"`]/g)].map(
    ([, path = '']) => path,
  )

const scriptFiles = (path: string): readonly string[] => ['', '.js', '.mjs', '.cjs', '/index.js'].map((end) => `${path}${end}`)
