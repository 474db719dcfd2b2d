import { basename, join, relative, sep } from 'node:path'
import type { Danger } from './dangers.ts'

const projectFiles: ReadonlySet<string> = new Set(['.env', '.env.local', '.env.production', '.envrc'])
/** Keys, and what is remembered: of each owner, and only he may be told it. */
const homeSecrets = /^(\.env|auth\.json|gateway\.sock|(memories|pending)(\/.*)?)$/
const homeProtected = /^(\.env|auth\.json|gateway\.sock|(platforms\/)?pairing(\/.*)?|mcp-tokens(\/.*)?)$/
/** What was said: the store of conversations, and what it was copied to. */
const homeConversations = /^(state\.db(-\w+)?|logs(\/.*)?|cache\/chat-history)$/
const homeSettings = /^(config\.yaml|soul\.md|cache(\/manifests\.json)?|(plugins|skills|skill-bundles)(\/.*)?)$/
/** The environment and the memory of running programs. */
const processSecrets = /^\/proc\/[^/]+\/(task\/[^/]+\/)?(environ|mem|root(\/.*)?\/proc\/.*)$/
/** Login secrets of the user, from the user's folder. */
const logins =
  /^(\.ssh(\/(?!config$|known_hosts|[^/]*\.pub$).*)?|\.aws(\/.*)?|\.kube(\/.*)?|\.gnupg(\/.*)?|\.netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.npmrc|\.pypirc|\.docker\/config\.json|\.config\/(gh|gcloud|hub|op|rclone)(\/.*)?|\.azure(\/.*)?|\.password-store(\/.*)?|\.local\/share\/keyrings(\/.*)?|\.mozilla(\/.*)?|\.config\/(google-chrome|chromium|BraveSoftware)(\/.*)?|\.(bash|zsh|python|node_repl|psql|mysql)_history)$/
const systemLogins = /^\/etc\/(shadow|gshadow|sudoers(\.d\/.*)?|ssh\/ssh_host_\w+_key|ssl\/private(\/.*)?)-?$/
/** What runs by itself later, from the user's folder. */
const startFiles =
  /^(\.bashrc|\.bash_(profile|login|logout|aliases)|\.profile|\.zshrc|\.z(profile|shenv|login|logout)|\.kshrc|\.cshrc|\.tcshrc|\.inputrc|\.xinitrc|\.xprofile|\.xsession(rc)?|\.pam_environment|\.gitconfig|\.vimrc|\.gdbinit|\.pythonrc(\.py)?|\.npmrc|\.config\/(fish|autostart|systemd|git|nvim|environment\.d)(\/.*)?|\.local\/bin(\/.*)?|bin(\/.*)?|Library\/LaunchAgents(\/.*)?)$/
const systemFolders =
  /^\/(usr|bin|sbin|lib\w*|boot|opt|root|srv|sys|var(?!\/(tmp|folders))|System|Library|Applications|private\/(etc|var(?!\/(tmp|folders)))|proc\/sys|snap)(\/|$)/

const settingsDanger: Danger = {
  ...{ name: 'agent-settings', harm: 'machine', sentence: 'it changes the settings, skills or plugins of the agent itself' },
}
const sshDanger: Danger = { name: 'ssh-config', harm: 'machine', sentence: 'it changes the SSH configuration' }
export const loginDanger: Danger = { name: 'credentials', harm: 'machine', sentence: 'it reads login secrets of the user' }
const conversationsDanger: Danger = {
  name: 'conversations',
  harm: 'machine',
  sentence: 'it reads or changes what others have said to the agent',
}
const startDanger: Danger = { name: 'start-files', harm: 'machine', sentence: 'it changes what runs by itself later' }
const systemDanger: Danger = { name: 'system-files', harm: 'machine', sentence: 'it changes files of the system' }
const hooksDanger: Danger = { name: 'git-hooks', harm: 'beyond', sentence: 'it changes what git runs by itself' }
/** Rules that every later session of the agent follows. */
const ruleFiles: ReadonlySet<string> = new Set(['.agent.md', 'agents.md', 'claude.md', '.cursorrules'])
const rulesDanger: Danger = { name: 'rule-files', harm: 'beyond', sentence: 'it changes rules that later sessions of the agent follow' }
/** Names that a pattern like `~/.ss[h]/id_rsa` would find, from the user's folder. */
export const usualLogins: readonly string[] = [
  ...['.ssh/id_rsa', '.ssh/id_ed25519', '.ssh/id_ecdsa', '.aws/credentials', '.aws/config', '.kube/config', '.gnupg/secring.gpg'],
  ...['.netrc', '.pgpass', '.my.cnf', '.git-credentials', '.npmrc', '.pypirc', '.docker/config.json', '.config/gh/hosts.yml'],
  ...['.config/gcloud/credentials.db', '.bash_history', '.zsh_history', '.password-store/a.gpg'],
]
export const secretsInside: Danger = { name: 'secrets-inside', harm: 'machine', sentence: 'it reads a folder in which there are secrets' }

export interface PathJudgeOptions {
  /** The default homes of agents, in which the profiles are. */
  readonly roots: readonly string[]
  readonly userHome: string
  /** Paths that nothing writes at or below. */
  readonly writeOnly: readonly string[]
}

type Judge = (path: string) => 'refuse' | Danger | undefined

/** What a path is, for a reader and for a writer; links are followed by the caller. */
export function createPathJudge({ roots, userHome, writeOnly }: PathJudgeOptions): { readonly read: Judge; readonly write: Judge } {
  const sshConfig = join(userHome, '.ssh', 'config')
  /** The path inside an agent home, of whichever profile. */
  const insideHome = (path: string): string | undefined => {
    for (const root of roots) {
      const inside = within(path, root)
      if (inside !== undefined) return inside.replace(/^profiles\/[^/]+\//, '')
    }
    return undefined
  }
  const isSecret = (path: string): boolean => processSecrets.test(path) || homeSecrets.test(insideHome(path) ?? '')
  const isProtected = (path: string): boolean =>
    projectFiles.has(basename(path).toLowerCase()) ||
    homeProtected.test(insideHome(path) ?? '') ||
    writeOnly.some((folder) => within(path, folder) !== undefined)

  function settingsOf(path: string): Danger | undefined {
    const inside = insideHome(path)
    if (inside === '' || homeSettings.test(inside ?? '')) return settingsDanger
    if (homeConversations.test(inside ?? '')) return conversationsDanger
    if (ruleFiles.has(basename(path).toLowerCase())) return rulesDanger
    return /\/\.git\/(hooks(\/|$)|config$)/.test(path) ? hooksDanger : undefined
  }

  function filesOf(path: string): Danger | undefined {
    const own = within(path, userHome)
    if (own !== undefined) return startFiles.test(own) ? startDanger : undefined
    return (path === '/' || systemFolders.test(path)) && insideHome(path) === undefined ? systemDanger : undefined
  }

  return {
    read(path) {
      if (isSecret(path)) return 'refuse'
      if (homeConversations.test(insideHome(path) ?? '')) return conversationsDanger
      const own = within(path, userHome)
      return systemLogins.test(path) || (own !== undefined && logins.test(own)) ? loginDanger : undefined
    },
    write(path) {
      if (isSecret(path)) return 'refuse'
      if (path === sshConfig) return sshDanger
      return isProtected(path) ? 'refuse' : (settingsOf(path) ?? filesOf(path))
    },
  }
}

/** The way from a folder to a path in or at it. Upper and lower case count as equal, as some file systems have it. */
export function within(path: string, folder: string): string | undefined {
  const [one, other] = [path.toLowerCase(), folder.toLowerCase()]
  if (isPlain(one) && isPlain(other)) {
    if (one === other) return ''
    return one.startsWith(other) && one[other.length] === '/' ? one.slice(other.length + 1) : undefined
  }
  const way = relative(other, one)
  if (way === '..' || way.startsWith(`..${sep}`) || way.startsWith(sep)) return undefined
  return way.split(sep).join('/')
}

/** Absolute, and nothing in it leads elsewhere: nearly all paths are, and of two such paths one look says which holds the other. */
const isPlain = (path: string): boolean => sep === '/' && path.startsWith('/') && !detour.test(path)
const detour = /\/\.{0,2}(\/|$)/
