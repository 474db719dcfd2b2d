/** Files that a text in Python or JavaScript may bring in, as they would be called from its folder. Most of these are not there. */
export function importedFiles(text: string): readonly string[] {
  return [...new Set([...pythonModules(text).flatMap(pythonFiles), ...scriptModules(text).flatMap(scriptFiles)])]
}

interface PythonModule {
  /** How many folders above that of the importing file it begins. */
  readonly up: number
  readonly name: string
}

function pythonModules(written: string): readonly PythonModule[] {
  const text = written.replaceAll(/\\\r?\n/g, ' ')
  const imports = [...text.matchAll(/(?:^|[\n;:])[ \t]*import[ \t]+([\w., \t]+)/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => ({ up: 0, name })),
  )
  const from = [...text.matchAll(/(?:^|[\n;:])[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]*import\b[ \t]*(?:\(([^)]*)|([\w, \t]*))/g)]
  const inside = from.flatMap(([, dots = '', name = '', many = '', few = '']) =>
    ['', ...`${many}${few}`.split(',')].map((part) => ({ up: Math.max(0, dots.length - 1), name: `${name}.${part.trim()}` })),
  )
  return [...imports, ...inside].map(({ up, name }) => ({ up, name: name.trim().replace(/\s.*$/s, '') }))
}

/** `a.b` runs `a/__init__.py` as well. */
function pythonFiles({ up, name }: PythonModule): readonly string[] {
  const parts = name.split('.').filter((part) => part !== '')
  const above = '../'.repeat(up)
  const start = up > 0 || name === '.' ? [`${above}__init__.py`] : []
  return [
    ...start,
    ...parts.flatMap((_part, index) => {
      const path = `${above}${parts.slice(0, index + 1).join('/')}`
      return [`${path}.py`, `${path}/__init__.py`]
    }),
  ]
}

const scriptModules = (text: string): readonly string[] =>
  [...text.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"`](\.{1,2}\/[^'"`\n]{1,300}|\/[^'"`\n]{1,300})['"`]/g)].map(
    ([, path = '']) => path,
  )

const scriptFiles = (path: string): readonly string[] => ['', '.js', '.mjs', '.cjs', '/index.js'].map((end) => `${path}${end}`)
