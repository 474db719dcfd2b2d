import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

type Surface = Readonly<Record<string, { readonly door: string; readonly says: string; readonly print: string }>>
interface Known {
  readonly surfaces: Readonly<Record<string, Surface>>
  readonly current: Surface
  readonly notes: Readonly<Record<string, readonly string[]>>
  readonly endings: readonly { readonly name: string; readonly since: string; readonly until: string; readonly use: string }[]
}
interface Changelog {
  readSurface(report: string): Surface
  parseSurface(text: string): Surface
  formatSurface(surface: Surface): string
  formatChangelog(known: Known): string
}

const { formatChangelog, formatSurface, parseSurface, readSurface } = (await import(
  new URL('./changelog.mjs', import.meta.url).href
)) as Changelog
const read = (file: string): string => readFileSync(join(import.meta.dirname, '..', file), 'utf8')

const report = (...declarations: readonly string[]): string =>
  `# The surface.\n\n## @agent/plugin-sdk\n\n${declarations.join('\n')}\n\n### Named by these, and not exported\n\n/** Inner. */\ninterface Inner {\n}\n\n## @agent/plugin-sdk/http\n\n/** Waits. */\nexport declare function wait(): void;\n`
const open = '/** Opens it. */\nexport declare function open(): void;'
const close = '/** Closes it. */\nexport declare function close(): void;'
const options = '/** How. */\nexport interface Options {\n    readonly text: string;\n}\nexport declare const Options: z.ZodObject;'

test('a surface has each exported name once, with its first sentence, and is kept as lines', () => {
  const surface = readSurface(report(open, options))
  expect(Object.keys(surface)).toEqual(['@agent/plugin-sdk open', '@agent/plugin-sdk Options', '@agent/plugin-sdk/http wait'])
  expect(surface['@agent/plugin-sdk Options']).toMatchObject({ says: 'How.', door: '@agent/plugin-sdk' })
  expect(parseSurface(formatSurface(surface))).toEqual(surface)
  // Every part of a declaration counts, its sentence does not.
  const changed = readSurface(report(open.replace('Opens', 'Makes'), options.replace('ZodObject', 'ZodString')))
  const prints = (of: Surface) => Object.values(of).map(({ print }) => print)
  expect(prints(changed).map((print, at) => print === prints(surface)[at])).toEqual([true, false, true])
})

test('the report of today is read whole', () => {
  const text = read('api.txt')
  const named = text
    .split(/^## /m)
    .flatMap((section) => [
      ...(section.split('\n### ')[0] ?? '').matchAll(/^export (?:declare )?(?:type|interface|const|function|class) (\w+)/gm),
    ])
  const surface = readSurface(text)
  expect(named.filter(([, name]) => !Object.keys(surface).some((key) => key.endsWith(` ${name}`)))).toEqual([])
  expect(Object.entries(surface).filter(([, { says }]) => says === '')).toEqual([])
})

test('each version tells what was added, changed and removed since the one before, what ends, and its notes; the newest is first', () => {
  const wider = open.replace('()', '(text: string)')
  const text = formatChangelog({
    surfaces: { '0.9.0': readSurface(report(open, close)), '0.10.0': readSurface(report(wider, close)) },
    current: readSurface(report(wider, options)),
    notes: { '0.10.0': ['Build again.'], next: [] },
    endings: [
      { name: 'wait', since: '0.10.0', until: '1.0.0', use: '`sleep`' },
      { name: 'permissions.run', since: '0.11.0', until: '2.0.0', use: '`programs`' },
    ],
  })
  expect(text.slice(text.indexOf('## '))).toBe(`## Not released yet

### Added

- \`Options\` (@agent/plugin-sdk): How.

### Removed

- \`close\` (@agent/plugin-sdk): Closes it.

### Deprecated

- \`permissions.run\`, served until 2.0.0: use \`programs\`

## 0.10.0

Build again.

### Changed

- \`open\` (@agent/plugin-sdk): Opens it.

### Deprecated

- \`wait\`, served until 1.0.0: use \`sleep\`

## 0.9.0

The first surface: 3 names.
`)
})

test('where nothing has changed since a release there is no section for the next one', () => {
  const surface = readSurface(report(open))
  expect(formatChangelog({ surfaces: { '0.1.0': surface }, current: surface, notes: {}, endings: [] })).not.toContain('Not released')
})

test('the changelog is in the package', () => {
  expect(JSON.parse(read('package.json')).files).toContain('CHANGELOG.md')
})
