import type { Random } from '../random.ts'

/** Settings with one thing wrong in them, or nothing. */
export interface SettingsCase {
  /** Bytes of config.yaml and of `.env`; an act makes something that is no file. */
  readonly config: Uint8Array | ((path: string) => void)
  readonly env: Uint8Array | ((path: string) => void)
  readonly variables: Readonly<Record<string, string>>
  /** What must stand in the answer of `config check`; empty where nothing is wrong. */
  readonly named: readonly string[]
  /** What must stand in no answer. */
  readonly secrets: readonly string[]
}

export type Section = Record<string, unknown>

/** Settings of which nothing is wrong, as lines that can be spoilt. */
export interface Sound {
  readonly lines: string[]
  readonly env: string[]
  readonly secrets: readonly string[]
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'

export function word(random: Random, length: number): string {
  const more = Array.from({ length: length - 1 }, () => letters[Math.floor(random.next() * letters.length)])
  // Digits alone would be a number.
  return `w${more.join('')}`
}

export function makeSound(random: Random): Sound {
  const secrets = [`sk-${word(random, 24)}`, `tok-${word(random, 16)}`]
  const lines = [
    '_config_version: 26',
    'model:',
    `  provider: ${random.pick(['openai', 'anthropic', 'offline'])}`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as it stands in the file
    '  api_key: ${MODEL_API_KEY}',
    'agent:',
    `  max_turns: ${Math.floor(random.between(1, 200))}`,
    'approvals:',
    `  mode: ${random.pick(['ask', 'smart', 'off'])}`,
    `  deny: [${word(random, 5)}, "${word(random, 6)} *"]`,
    'display: # how it looks',
    `  interface: ${random.pick(['cli', 'tui'])}`,
    `  show_reasoning: ${random.pick(['true', 'false'])}`,
    'compression:',
    '  threshold: 0.5',
    'session_reset:',
    `  at_hour: ${Math.floor(random.between(0, 23))}`,
    'gateway:',
    '  http:',
    `    port: ${Math.floor(random.between(1024, 60_000))}`,
  ]
  const env = ['# keys', `MODEL_API_KEY=${secrets[0]}`, `export OTHER_TOKEN='${secrets[1]}'`]
  return { lines, env, secrets }
}

/** A line of the settings that sets a plain value: its place, its key and what stands before the value. */
export interface Place {
  readonly line: number
  readonly indent: string
  readonly key: string
  /** With its sections. */
  readonly path: string
  readonly kind: 'number' | 'boolean' | 'enum' | 'list' | 'text'
}

export const places: readonly [Place, ...Place[]] = [
  { line: 5, indent: '  ', key: 'max_turns', path: 'agent.max_turns', kind: 'number' },
  { line: 7, indent: '  ', key: 'mode', path: 'approvals.mode', kind: 'enum' },
  { line: 8, indent: '  ', key: 'deny', path: 'approvals.deny', kind: 'list' },
  { line: 10, indent: '  ', key: 'interface', path: 'display.interface', kind: 'enum' },
  { line: 11, indent: '  ', key: 'show_reasoning', path: 'display.show_reasoning', kind: 'boolean' },
  { line: 13, indent: '  ', key: 'threshold', path: 'compression.threshold', kind: 'number' },
  { line: 15, indent: '  ', key: 'at_hour', path: 'session_reset.at_hour', kind: 'number' },
  { line: 18, indent: '    ', key: 'port', path: 'gateway.http.port', kind: 'number' },
  { line: 2, indent: '  ', key: 'provider', path: 'model.provider', kind: 'text' },
]

export const sections: readonly [string, ...string[]] = ['model', 'agent', 'approvals', 'compression', 'session_reset', 'gateway']
