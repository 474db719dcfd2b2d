import { withoutEffect } from '../../../host/src/config/file/without-effect.ts'
import { configJsonSchema } from '../../../host/src/config/schema/config-json-schema.ts'
import { defaultConfig } from '../../../host/src/config/schema/defaults.ts'
import { openKeys } from '../../../host/src/config/schema/keys.ts'
import { valueAt } from '../../../host/src/config/schema/merge.ts'
import { pluginFolders, readManifest } from '../../repo/plugin-folders.ts'
import type { Random } from '../random.ts'
import { type SettingsCase, type Sound, word } from './case.ts'
import { bytes, type Mutation, misspell } from './spoil.ts'

type Schema = { readonly type?: string; readonly enum?: readonly unknown[]; readonly properties?: Readonly<Record<string, Schema>> }

/** Keys that do not depend on a name, with what the schema says of them. */
const keys = openKeys()
  .all.filter((key) => !key.includes('<id>') && !key.startsWith('_'))
  .map((key) => ({
    key,
    schema: key.split('.').reduce<Schema>((schema, part) => schema.properties?.[part] ?? {}, configJsonSchema as Schema),
  })) as unknown as readonly [Key, ...Key[]]

interface Key {
  readonly key: string
  readonly schema: Schema
}

/** A file with this one setting, in blocks or in one line. */
function only(random: Random, path: readonly string[], value: string): Uint8Array {
  const isFlow = random.next() < 0.4
  const lines = isFlow
    ? [`${path[0]}: ${path.slice(1).reduceRight((inner, part) => `{${part}: ${inner}}`, value)}`]
    : path.map((part, depth) => `${'  '.repeat(depth)}${part}:${depth === path.length - 1 ? ` ${value}` : ''}`)
  return bytes(['_config_version: 26', ...lines])
}

const wrongFor = ({ type, enum: words }: Schema): readonly [string, ...string[]] => {
  if (words !== undefined) return ['5', 'nothing', '[a]', '{a: 1}', 'TRUE', '1.5', '""x"'.slice(1)]
  if (type === 'integer' || type === 'number') return ['many', '[1]', '{a: 1}', 'true', '"12"', '-1', '1e400', '.nan', '0x', '1;5']
  if (type === 'boolean') return ['yes', '1', '"true"', '[]', '{}', 'on', 'tru', 'Y']
  if (type === 'array') return ['text', '5', '{a: b}', '[1]', '[[a]]', 'true', '"a, b"']
  return ['5', '[a]', '{a: b}', 'true', '2.5']
}

const manifests = pluginFolders.map((folder) => readManifest(folder))
const platformIds = some(manifests.flatMap(({ contributes }) => contributes.platforms.map(({ id }) => id)))
const pluginIds = some(manifests.map(({ id }) => id))
const variablesOf = (fits: (value: unknown) => boolean, ...more: readonly string[]) =>
  some([...manifests.flatMap(({ env }) => env.filter(({ value }) => fits(value)).map(({ name }) => name)), ...more])
const variables = {
  switch: variablesOf((value) => value === 'switch', 'GATEWAY_ALLOW_ALL_USERS'),
  number: variablesOf((value) => value === 'port' || value === 'number', 'AGENT_MAX_ITERATIONS', 'TERMINAL_TIMEOUT'),
  address: variablesOf((value) => value === 'address', 'OPENAI_BASE_URL'),
  words: variablesOf(Array.isArray, 'AGENT_BACKGROUND_NOTIFICATIONS'),
}
const longNames = some(manifests.flatMap(({ env }) => env.map(({ name }) => name).filter((name) => name.length >= 12)))
/** Settings of the plugins of platforms that have a plain type. */
const extras = some(
  manifests.flatMap(({ contributes }) =>
    contributes.platforms.flatMap(({ id, configSchema }) =>
      Object.entries((configSchema as Schema | undefined)?.properties ?? {})
        .filter(([, { type }]) => type !== undefined && type !== 'object')
        .map(([key, schema]) => ({ id, key, schema })),
    ),
  ),
)

function some<T>(items: readonly T[]): readonly [T, ...T[]] {
  const [first, ...more] = items
  if (first === undefined) throw new Error('There is nothing to choose from.')
  return [first, ...more]
}

/** A name that is not one of these any more, and still looks like it. */
function spoilName(name: string, known: readonly string[]): string {
  const ways = [`${name.slice(0, -2)}${name.slice(-1)}`, `${name}${name.slice(-1)}`, name.toUpperCase()]
  return ways.find((way) => way !== name && !known.includes(way)) ?? `${name}x`
}

/** In the process or in `.env`. */
function set(sound: Sound, random: Random, name: string, value: string): Partial<SettingsCase> {
  if (random.next() < 0.5) return { variables: { [name]: value }, named: ['environment', name] }
  return { env: bytes([...sound.env, `${name}='${value}'`]), named: [`.env:${sound.env.length + 1}:`, name] }
}

/** A list that names something that is not there. */
function list(sound: Sound, line: string, ...named: readonly string[]): Partial<SettingsCase> {
  return { config: bytes([...sound.lines, line]), named: [`config.yaml:${sound.lines.length + 1}:`, 'no effect', ...named] }
}

/** Settings that the product itself lists as not read yet, each with a value that is not its default. */
const idle = some(
  keys
    .filter(({ key }) => Object.keys(withoutEffect).some((root) => root !== 'terminal.backend' && `${key}.`.startsWith(`${root}.`)))
    .flatMap(({ key, schema }) => {
      const before = valueAt(defaultConfig, key.split('.'))
      const other = { boolean: String(!before), array: '[SOME_NAME]' }[schema.type ?? ''] ?? schema.enum?.find((word) => word !== before)
      return other === undefined ? [] : [{ path: key.split('.'), other: String(other) }]
    }),
)

/** Names and values anywhere in the settings, and what only the plugins know to be wrong. */
export const nameMutations: Readonly<Record<string, Mutation>> = {
  'any key misspelt': (_sound, random) => {
    const path = random.pick(keys).key.split('.')
    const at = Math.floor(random.next() * path.length)
    const wrong = path.with(at, `${misspell(path[at] ?? '', random)}${random.pick(['', '', '_', 's'])}`)
    if (openKeys().knows(wrong)) return {}
    return { config: only(random, wrong, '5'), named: [wrong.slice(0, at + 1).join('.'), 'there is no such key'] }
  },
  'any type swapped': (_sound, random) => {
    const { key, schema } = random.pick(keys)
    return { config: only(random, key.split('.'), random.pick(wrongFor(schema))), named: [`error: ${key}`] }
  },
  'a section in place of a value, and a value in place of a section': (_sound, random) => {
    const path = random.pick(keys).key.split('.')
    if (path.length < 2) return {}
    const cut = path.slice(0, 1)
    return { config: only(random, cut, random.pick(['5', 'text', '[a]'])), named: [`error: ${cut[0]}`] }
  },
  'platform misspelt': (sound, random) => {
    const id = spoilName(random.pick(platformIds), platformIds)
    return list(sound, `platforms: {${id}: {enabled: true}}`, `platforms.${id}`, 'no platform')
  },
  'key of a platform misspelt': (sound, random) => {
    const key = misspell(random.pick(['allow_from', 'require_mention', 'reply_prefix', 'streaming', 'home_channel']), random)
    const id = random.pick(platformIds)
    return { config: bytes([...sound.lines, `platforms: {${id}: {${key}: x}}`]), named: [`platforms.${id}.${key}`, 'there is no such key'] }
  },
  'value of a platform': (sound, random) => {
    const setting = random.pick([
      'streaming: maybe',
      'batch_ms: -1',
      'allow_from: 12',
      'dm_policy: Open',
      'reactions: "true"',
      'reply_prefix: 5',
    ])
    const id = random.pick(platformIds)
    const named = [`platforms.${id}.${setting.split(':')[0]}`]
    return { config: bytes([...sound.lines, `platforms: {${id}: {${setting}}}`]), named }
  },
  'settings of the plugin of a platform, on or off': (sound, random) => {
    const { id, key, schema } = random.pick(extras)
    const isName = random.next() < 0.3
    const [name, value] = isName ? [`${key}_`, '5'] : [key, random.pick(wrongFor(schema))]
    const line = `platforms: {${id}: {enabled: ${random.pick(['true', 'false'])}, extra: {${name}: ${value}}}}`
    return {
      config: bytes([...sound.lines, line]),
      named: [`config.yaml:${sound.lines.length + 1}: error: platforms.${id}.extra.${name}`],
    }
  },
  'plugin that is not installed': (sound, random) => {
    const name = random.pick([spoilName(random.pick(pluginIds), pluginIds), random.pick(platformIds).slice(1), `x-${word(random, 5)}`])
    if (random.next() < 0.5) return list(sound, `plugins: {deny: [${name}]}`, 'plugins.deny', name)
    return list(sound, `plugins: {entries: {${name}: {enabled: true}}}`, `plugins.entries.${name}`)
  },
  'toolset that is not installed': (sound, random) => {
    const name = random.pick(['terminl', 'wbe', 'Files', word(random, 5)])
    const id = random.pick(platformIds)
    if (random.next() < 0.5) return list(sound, `toolsets: {mine: [files, ${name}]}`, 'toolsets.mine', name)
    return list(sound, `platforms: {${id}: {toolsets: [${name}]}}`, `platforms.${id}.toolsets`, name)
  },
  'auxiliary task that does not exist': (sound, random) => {
    const task = random.pick(['aproval', 'visions', 'title', word(random, 4)])
    return list(sound, `auxiliary: {${task}: {model: x}}`, `auxiliary.${task}.model`)
  },
  'backend that is not installed': (sound, random) => list(sound, `web: {backend: ${word(random, 6)}}`, 'web.backend'),
  'provider that is not installed': (sound, random) => {
    const name = random.pick(['opnai', 'Anthropic', word(random, 6)])
    return { config: bytes(sound.lines.with(2, `  provider: ${name}`)), named: ['config.yaml:3:', 'model.provider', name] }
  },
  'setting without effect': (_sound, random) => {
    const { path, other } = random.pick(idle)
    return { config: only(random, path, other), named: [path.join('.'), 'has no effect'] }
  },
  'container asked for': (_sound, random) => ({
    config: only(random, ['terminal', 'backend'], random.pick(['docker', 'ssh', 'Local'])),
    named: ['error: terminal.backend'],
  }),
  'address of the model': (sound, random) => ({
    config: bytes(sound.lines.with(2, `  base_url: ${random.pick(['localhost:8080', 'htp://host', '/v1', 'http//host'])}`)),
    named: ['config.yaml:3: error: model.base_url'],
  }),
  'variable that is no switch': (sound, random) =>
    set(sound, random, random.pick(variables.switch), random.pick(['maybe', 'ture', '2', 'yess', '[]', 'null'])),
  'variable that is no number': (sound, random) =>
    set(sound, random, random.pick(variables.number), random.pick(['many', '-1', '1e9', '0x10', '12x', '99999999999', '1 2'])),
  'variable that is no address': (sound, random) =>
    set(sound, random, random.pick(variables.address), random.pick(['localhost', 'htp://x', '127.0.0.1:80', '/v1', 'https//x'])),
  'variable that is none of the words': (sound, random) =>
    set(sound, random, random.pick(variables.words), random.pick(['everything', 'none of it', '1', '[]'])),
  'name in .env misspelt': (sound, random) => {
    const name = random.pick([spoilName(random.pick(longNames), longNames), 'openai_apikey', 'AGENT_MAX_ITERATION', `X_${word(random, 5)}`])
    const secret = word(random, 12)
    return {
      env: bytes([...sound.env, `${name}=${secret}`]),
      named: [`.env:${sound.env.length + 1}: warning: ${name}`, 'nothing reads it'],
      secrets: [...sound.secrets, secret],
    }
  },
  'name of the process misspelt': (_sound, random) => {
    const name = spoilName(random.pick(some([...longNames, 'AGENT_MAX_ITERATIONS', 'TERMINAL_TIMEOUT'])), longNames)
    return { variables: { [name]: '5' }, named: [`environment: warning: ${name}`, 'did you mean'] }
  },
  'variable without effect': (sound, random) => {
    const secret = word(random, 14)
    const name = random.pick(['AGENT_DESKTOP_REMOTE_TOKEN', 'AGENT_DASHBOARD_TUI'])
    return { ...set(sound, random, name, secret), secrets: [...sound.secrets, secret] }
  },
  'name twice in .env': (sound) => ({
    env: bytes([...sound.env, 'MODEL_API_KEY=sk-other-key-1']),
    named: [`.env:${sound.env.length + 1}: warning: MODEL_API_KEY`, 'second time'],
    secrets: [...sound.secrets, 'sk-other-key-1'],
  }),
  'value over several lines in .env': (sound, random) => {
    const secret = word(random, 20)
    return {
      env: bytes([...sound.env, `CERTIFICATE_KEY="-----BEGIN`, secret, 'END"']),
      named: [`.env:${sound.env.length + 1}:`, `.env:${sound.env.length + 2}:`, 'neither NAME=value nor a comment'],
      secrets: [...sound.secrets, secret],
    }
  },
  'characters that steer a terminal': (sound, random) => {
    const bad = random.pick(['\u001b[2J', '\u0007', '\u009b31m', '\u202e', '\u0000', '\b\b'])
    return { config: bytes([...sound.lines, `we${bad}b: {backend: x}`]), named: ['config.yaml'] }
  },
  'a very long value': (sound, random) => {
    const long = word(random, 50_000)
    return {
      config: bytes(sound.lines.with(7, `  mode: ${long}`)),
      named: ['approvals.mode'],
      secrets: [...sound.secrets, long.slice(0, 60)],
    }
  },
  'sound: .env as other programs write it': (sound, random) => ({
    env: bytes(
      [
        '',
        '  # indented',
        `  export MODEL_API_KEY = "${sound.secrets[0]}"  # why`,
        "GATEWAY_ALLOWED_USERS='a b'",
        'TERMINAL_TIMEOUT=',
        '\t',
      ],
      random.pick(['\n', '\r\n']),
    ),
  }),
  'sound: variables that hold': (_sound, random) => ({
    variables: random.pick<Readonly<Record<string, string>>>([
      { TERMINAL_PERSISTENT_SHELL: 'On', TERMINAL_TIMEOUT: '60', API_SERVER_PORT: '0' },
      { AGENT_TUI: '0', GATEWAY_ALLOW_ALL_USERS: 'no', OPENAI_BASE_URL: 'HTTPS://host/v1' },
      { SHLVL: '1', TERM_PROGRAM: 'x', LC_ALL: 'C', GITHUB_TOKEN: 'abcdefgh', PATHEXT: 'x', HOMEDRIVE: 'C' },
    ]),
  }),
}
