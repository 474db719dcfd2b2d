import { defaultConfig } from '../schema/defaults.ts'

/** A section or key that has another place now. */
export interface Move {
  readonly from: readonly string[]
  readonly to: readonly string[]
}

/** What changes in a file that is older than `to`. */
export interface MigrationStep {
  readonly to: number
  readonly moves: readonly Move[]
  /** A plain value that became a section: the value goes to this key of it. */
  readonly sections?: readonly { readonly key: readonly string[]; readonly into: string }[]
  readonly values?: readonly { readonly key: readonly string[]; readonly from: string; readonly to: string }[]
}

const key = (dotted: string): readonly string[] => dotted.split('.')
const move = (from: string, to: string): Move => ({ from: key(from), to: key(to) })

/** Spellings that are understood in a file of any version. */
export const spellings: readonly Move[] = [
  move('platforms.api_server', 'platforms.api-server'),
  move('platforms.homeassistant', 'platforms.home-assistant'),
  move('platforms.whatsapp_cloud', 'platforms.whatsapp-cloud'),
  move('gateway.api_server', 'platforms.api-server.extra'),
]

/** Forward only, oldest first. A step is never changed once it has been published. */
export const migrationSteps: readonly MigrationStep[] = [
  {
    to: 26,
    moves: [
      move('display.background_process_notifications', 'background_process_notifications'),
      move('terminal.docker_forward_env', 'terminal.container_forward_env'),
      move('terminal.docker_mount_cwd_to_workspace', 'terminal.container_mount_cwd_to_workspace'),
      move('stt.local', 'stt.providers.local'),
      move('stt.openai', 'stt.providers.openai'),
    ],
    sections: [{ key: ['model'], into: 'default' }],
    values: [{ key: ['approvals', 'mode'], from: 'manual', to: 'ask' }],
  },
]

/** The header of a messenger has more than one place: its own section, and the block that is its plugin's. */
export function moveOfHeader(path: readonly string[]): Move | undefined {
  const [first = '', second, third, fourth] = path
  const isOld = path.length === 2 && second === 'reply_prefix' && !Object.hasOwn(defaultConfig, first)
  if (isOld) return { from: path, to: ['platforms', first.replaceAll('_', '-'), 'reply_prefix'] }
  const isInside = path.length === 4 && first === 'platforms' && third === 'extra' && fourth === 'reply_prefix'
  return isInside ? { from: path, to: ['platforms', second ?? '', 'reply_prefix'] } : undefined
}

/** A dotted key in the spelling of today. */
export function currentSpelling(dotted: string): string {
  const header = moveOfHeader(dotted.split('.'))
  if (header) return currentSpelling(header.to.join('.'))
  const found = spellings.find(({ from }) => `${dotted}.`.startsWith(`${from.join('.')}.`))
  return found ? found.to.join('.') + dotted.slice(found.from.join('.').length) : dotted
}
