import { expect, test } from 'vitest'
import { createRandom } from '../../../../test/faults/random.ts'
import { parseConfigFile } from './config-file.ts'
import { parseYaml } from './parse-yaml.ts'
import { readPlain } from './read-plain.ts'

/** What YAML says; undefined where it refuses. */
function readWhole(text: string): unknown {
  const parsed = parseYaml(text)
  return parsed.ok ? parsed.document.toJS({ maxAliasCount: -1 }) : undefined
}

const lines = [
  ...['a: 1', 'b: two words', 'c:', '  d: true', '  e: ~', '  e:', '    f: null', '- x', '  - y', '    - z', '# said', '', '   ', 'a: 2'],
  ...[
    'g: "quoted"',
    "h: 'it'",
    'h: "it # is"',
    'i: { j: 1, k: no }',
    'i: {j: 1}',
    'l: [a, b c, 3]',
    'l: []',
    'm: {}',
    'n: a # comment',
    'n: a#b',
  ],
  ...[
    'o: 0x10',
    'p: 1_000',
    'q: 007',
    'r: -1.50',
    's: 1e3',
    't: .5',
    'u: 10s',
    'v: 2026-01-01',
    'w: http://a.b/c?d=e#f',
    'x: a: b',
    'x: a:',
  ],
  ...[
    'y: |',
    '  text',
    '  text:',
    'z: >-',
    'true: 1',
    'NULL: 1',
    '__proto__: 1',
    '<<: 1',
    '? a',
    '---',
    '...',
    '%YAML 1.2',
    'a:b',
    '"k": 1',
    'é: ü',
  ],
  ...[
    'ab: ü',
    'ac: &x 1',
    'ad: *x',
    'ae: !!str 1',
    'af: @a',
    'ag: [a, ]',
    'ah: { a: 1, a: 2 }',
    'ai: "a',
    "aj: 'a''b'",
    'ak: [a',
    'al: { a }',
    'am: -',
  ],
  ...[
    'an:   spaced   out  ',
    '    deep: 1',
    '      deeper: 1',
    '  d: again',
    'ao: True',
    'ap: FALSE',
    'aq: yes',
    'ar: a, b',
    'as: a]b',
    'at: - a',
    ' off: 1',
  ],
]

test('twenty thousand texts say what they say as YAML, or are left to it', () => {
  const random = createRandom(1)
  let plain = 0
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: 1 + random.next() * 7 }, () => lines[Math.floor(random.next() * lines.length)]).join('\n')
    const value = readPlain(text)
    if (value === undefined) continue
    plain++
    expect({ text, value }).toEqual({ text, value: readWhole(text) })
  }
  expect(plain).toBeGreaterThan(500)
})

test.each(lines)('a line says what it says as YAML, or is left to it: %s', (line) => {
  for (const text of [
    line,
    `first: 1\n${line}`,
    `first:\n${line}`,
    `first:\n  second: 1\n${line}`,
    `${line}\nlast: 1`,
    `${line}\r\n`,
    `\t${line}`,
  ]) {
    const value = readPlain(text)
    if (value !== undefined) expect({ text, value }).toEqual({ text, value: readWhole(text) })
  }
})

test('the settings of most people are read without the parser of YAML', () => {
  const text = `# Mine
_config_version: 26
model:
  provider: custom
  default: a-model   # the small one
  base_url: http://127.0.0.1:8080/v1
fallback_providers:
- one
- two
plugins:
  entries:
    first: { enabled: true }
    second: { enabled: false, retries: 3 }
display:
  show_reasoning: true
  limit: 1.5
  name: "Böb's"
  empty:
tools: [shell, web search]
`
  expect(readPlain(text)).toEqual(readWhole(text))
  expect(readPlain(text)).toMatchObject({ fallback_providers: ['one', 'two'], display: { name: "Böb's", empty: null } })
})

test.each([
  ['of an older version', '_config_version: 25\nmodel: m\n', 'model', { default: 'm' }],
  [
    'with a name that has another spelling',
    '_config_version: 26\nplatforms:\n  api_server:\n    enabled: true\n',
    'platforms',
    { 'api-server': { enabled: true } },
  ],
])('a file %s is brought to this version', (_what, text, key, value) => {
  const file = parseConfigFile('config.yaml', text)
  expect([file.migrated, file.value[key]]).toEqual([true, value])
})

test('the lines of a plain file and its text as YAML are there when they are asked for', () => {
  const file = parseConfigFile('config.yaml', '_config_version: 26\n# said\nmodel:\n  provider: custom\n')
  expect([file.migrated, file.value]).toEqual([false, { _config_version: 26, model: { provider: 'custom' } }])
  expect(file.lineOf(['model', 'provider'])).toBe(4)
  file.document.setIn(['model', 'provider'], 'other')
  expect(String(file.document)).toBe('_config_version: 26\n# said\nmodel:\n  provider: other\n')
})

test('a line of a thousand characters is read, and a longer one left to the parser', () => {
  const line = (spaces: number): string => `a: { b: ${' '.repeat(spaces)}c }`
  expect(readPlain(line(989))).toEqual({ a: { b: 'c' } })
  expect(readPlain(line(990))).toBeUndefined()
})
