import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import type { Random } from '../random.ts'
import { makeSound, type Place, places, type SettingsCase, type Sound, sections, word } from './case.ts'
import { nameMutations } from './name-mutations.ts'
import { bytes, type Mutation, misspell, more } from './spoil.ts'

/** The settings with another value at a place; its path and line must be named. */
function put({ lines }: Sound, place: Place, value: string): Partial<SettingsCase> {
  const changed = lines.with(place.line, `${place.indent}${place.key}: ${value}`)
  return { config: bytes(changed), named: [`config.yaml:${place.line + 1}: error: ${place.path}`] }
}

const numbers = places.filter(({ kind }) => kind === 'number') as unknown as readonly [Place, ...Place[]]
const words = places.filter(({ kind }) => kind !== 'text' && kind !== 'list') as unknown as readonly [Place, ...Place[]]
const broken = (config: Uint8Array, ...named: readonly string[]): Partial<SettingsCase> => ({ config, named: ['config.yaml', ...named] })

const wrong: Readonly<Record<Place['kind'], readonly [string, ...string[]]>> = {
  number: ['many', '[1]', '{a: 1}', 'true', '"12"', '2026-11-23', '12:30', '1_000', '.nan'],
  boolean: ['yes', '1', '"true"', '[]', '{}', 'on'],
  enum: ['5', 'nothing', '[ask]', 'true', 'ASK', '""'],
  list: ['text', '5', '{a: b}', '[~]', '[1, 2]', '[[a]]', 'true'],
  text: ['5', '[a]', '{a: b}', 'true', '.inf'],
}

const notFiles: readonly [(path: string) => void, ...((path: string) => void)[]] = [
  (path) => mkdirSync(path),
  (path) => void execFileSync('mkfifo', [path]),
  (path) => symlinkSync('/dev/zero', path),
  (path) => symlinkSync(`${path}-is-not-there`, path),
  (path) => symlinkSync(path, path),
]

function spoil(text: Uint8Array, random: Random): Uint8Array {
  const at = Math.floor(random.next() * text.length)
  const bad = random.pick([[0xff], [0xc3, 0x28], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xfe, 0xff]])
  return Buffer.concat([text.subarray(0, at), Buffer.from([...bad, 0x20]), text.subarray(at)])
}

/** What can be wrong with config.yaml, `.env` and variables, and what must be said of it. */
export const mutations: Readonly<Record<string, Mutation>> = {
  ...nameMutations,
  'type swapped': (sound, random) => {
    const place = random.pick(places)
    return put(sound, place, random.pick(wrong[place.kind]))
  },
  'key misspelt': (sound, random) => {
    const place = random.pick(places)
    const key = misspell(place.key, random)
    const lines = sound.lines.with(place.line, (sound.lines[place.line] ?? '').replace(place.key, key))
    return { config: bytes(lines), named: [`config.yaml:${place.line + 1}: error:`, key, 'there is no such key'] }
  },
  'section misspelt': (sound, random) => {
    const section = random.pick(sections)
    const key = misspell(section, random)
    return {
      config: bytes(sound.lines.map((line) => (line.startsWith(`${section}:`) ? line.replace(section, key) : line))),
      named: [key, 'there is no such key'],
    }
  },
  'out of range': (sound, random) => put(sound, random.pick(numbers), random.pick(['-1', '-.inf', '99999999999999999999', '70000.5'])),
  'a list for a section': (sound, random) => {
    const section = random.pick(sections)
    const lines = sound.lines.filter((line) => !line.startsWith(`${section}:`))
    // What stood in the section would belong to the one before it.
    return {
      config: bytes(
        lines
          .filter((line) => !line.startsWith(' '))
          .filter((line) => line.includes('version'))
          .concat(`${section}: ${random.pick(['[a, b]', 'true', '12.5'])}`),
      ),
      named: [section, 'must be a section'],
    }
  },
  'bytes of config.yaml': (sound, random) => broken(spoil(bytes(sound.lines), random), 'not UTF-8'),
  'bytes of .env': (sound, random) => ({ env: spoil(bytes(sound.env), random), named: ['.env', 'not UTF-8'] }),
  'UTF-16': (sound) => broken(Buffer.from(`\ufeff${sound.lines.join('\n')}`, 'utf16le'), 'not UTF-8'),
  'truncated in a quote': (sound, random) => broken(bytes([...sound.lines, `toolsets: {x: ["${word(random, 9)}`]), 'not valid YAML'),
  'key twice': (sound, random) => {
    const section = random.pick(sections)
    return broken(more(sound, `${section}: {}`), `config.yaml:${sound.lines.length + 1}:`, section, 'second time')
  },
  'alias of nothing': (sound, random) =>
    broken(more(sound, `toolsets: {x: *${word(random, 6)}}`), `:${sound.lines.length + 1}:`, 'an alias'),
  'alias of itself': (sound) => broken(more(sound, 'toolsets: &a {x: [*a]}'), `:${sound.lines.length + 1}:`, 'part of'),
  'billion laughs': (sound) => {
    const step = (name: string, of: string): string => `  ${name}: &${name} [${Array(12).fill(`*${of}`).join(', ')}]`
    return broken(
      more(sound, 'toolsets:', '  a: &a [x, x]', step('b', 'a'), step('c', 'b'), step('d', 'c'), step('e', 'd'), step('f', 'e')),
      'values',
    )
  },
  'merge key': (sound) => ({ config: more(sound, 'web: {<<: {backend: x}}'), named: ['web.<<', 'there is no such key'] }),
  tab: (sound, random) => {
    const place = random.pick(places)
    return broken(bytes(sound.lines.with(place.line, `\t${place.key}: x`)), `config.yaml:${place.line + 1}:`, 'tab')
  },
  'second document': (sound) => broken(more(sound, '---', 'model: {}'), 'second document'),
  tag: (sound, random) => broken(more(sound, `web: {backend: !${word(random, 5)} x}`), 'this tag'),
  'nested deeply': (sound, random) =>
    broken(more(sound, `toolsets: ${random.pick(['[', '{a: '])}`.padEnd(20_000, random.pick(['[', '{a: ']))), 'nested deeper'),
  'no settings': (_sound, random) => broken(Buffer.from(random.pick(['- a\n- b\n', 'hello', '5', '"x"', '[]'])), 'list of keys and values'),
  'far too large': (sound, random) =>
    broken(more(sound, 'approvals:', ...Array.from({ length: 30_000 }, () => `  - ${word(random, 9)}`)), 'KiB'),
  'thousands of unknown keys': (sound, random) => ({
    config: more(sound, ...Array.from({ length: 5000 }, (_, index) => `${word(random, 5)}_${index}: 1`)),
    named: ['there is no such key', 'more mistakes'],
  }),
  'secret by reference in a wrong place': (sound, random) =>
    put(sound, random.pick(words), random.pick([`$\{MODEL_API_KEY}`, `"x $\{OTHER_TOKEN}"`])),
  'secret itself in a wrong place': (sound, random) => put(sound, random.pick(words), String(sound.secrets[0])),
  'unknown secret in a wrong place': (sound, random) => {
    const secret = `key-${word(random, 30)}`
    return { ...put(sound, random.pick(words), secret), secrets: [...sound.secrets, secret] }
  },
  'secret as a key': (sound) => ({
    config: more(sound, `${sound.secrets[0]}: 1`),
    named: [`config.yaml:${sound.lines.length + 1}:`, 'there is no such key'],
  }),
  'password in an address': (sound, random) => {
    const secret = word(random, 10)
    const lines = sound.lines.with(1, `model:\n  base_url: https://me:${secret}@host/v1?api_key=${secret}x`)
    return { config: bytes(lines), secrets: [...sound.secrets, secret] }
  },
  'reference to nothing': (sound, random) => {
    const name = `NO_${word(random, 6).toUpperCase()}`
    return { config: more(sound, `web: {backend: "$\{${name}}"}`), named: ['web.backend', name, 'is not set'] }
  },
  'line of .env': (sound, random) => {
    const line = random.pick(['no equals sign', '=value', '1NAME=x', 'NAME="open', 'NAME: x', "NAME='a'b"])
    return { env: bytes([...sound.env, line]), named: [`.env:${sound.env.length + 1}:`] }
  },
  '.env far too large': (sound) => ({ env: bytes([...sound.env, ...Array(30_000).fill('NAME=value')]), named: ['.env', 'KiB'] }),
  variable: (sound, random) => {
    const name = random.pick([
      'AGENT_MAX_ITERATIONS',
      'AGENT_API_TIMEOUT',
      'TERMINAL_TIMEOUT',
      'TERMINAL_PERSISTENT_SHELL',
      'AGENT_BACKGROUND_NOTIFICATIONS',
    ])
    return {
      variables: { [name]: random.pick(['many', '-1', '0.5', ' ', '[]', 'NaN', String(sound.secrets[1])]) },
      named: ['environment', name],
    }
  },
  'no file as config.yaml': (_sound, random) => ({ config: random.pick(notFiles), named: ['config.yaml', 'the file'] }),
  'no file as .env': (_sound, random) => ({ env: random.pick(notFiles), named: ['.env', 'the file'] }),
  'sound: nothing changed': () => ({}),
  'sound: other line ends and a byte order mark': (sound) => ({
    config: Buffer.concat([Buffer.from('\ufeff'), bytes(sound.lines, '\r\n')]),
    env: Buffer.concat([Buffer.from('\ufeff'), bytes(sound.env, '\r\n')]),
  }),
  'sound: no value': (sound, random) => ({ ...put(sound, random.pick(places), random.pick(['', '~', 'null'])), named: [] }),
  'sound: quotes': (sound, random) => ({
    ...put(
      sound,
      random.pick(places.filter(({ kind }) => kind === 'text') as unknown as readonly [Place, ...Place[]]),
      random.pick(['"a b"', "'it''s'", '"\\u00e9"', '|\n    text']),
    ),
    named: [],
  }),
  'sound: an anchor used twice': (sound, random) => ({ config: more(sound, `toolsets: {x: &a [${word(random, 4)}], y: *a}`) }),
  'sound: a comment in every line': (sound, random) => ({ config: bytes(sound.lines.map((line) => `${line} # ${word(random, 8)} é 漢`)) }),
}

/** One case; the same random numbers make the same one. */
export function makeCase(mutation: Mutation, random: Random): SettingsCase {
  const sound = makeSound(random)
  return { config: bytes(sound.lines), env: bytes(sound.env), variables: {}, named: [], secrets: sound.secrets, ...mutation(sound, random) }
}
