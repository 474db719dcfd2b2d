import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { mcpServerName } from '#config/schema/mcp-server-schema.ts'
import type { Config } from '#config/schema/schema.ts'
import { showJson } from '#observe/printable.ts'
import { quoteWord } from '#tools/shell/quote-word.ts'
import { hasUnseen, type ProjectFile, readProjectFile } from './read-project-file.ts'

type McpServer = Config['mcp_servers'][string]

/** An MCP server that a project names. Nobody starts or asks it before a person has agreed to what stands there. */
export interface ProjectServer {
  readonly name: string
  readonly state: 'asked' | 'allowed' | 'refused'
  /** The whole command line, or the address. */
  readonly shown: string
  /** Why it is refused: the end of a sentence. */
  readonly problem?: string
  /** Where it is not refused: what the client of MCP servers is told. */
  readonly settings?: McpServer & { readonly project: ProjectOrigin }
}

/** What the client has to know of a server that no settings of the person name. */
interface ProjectOrigin {
  /** What a person is asked: a part of a sentence. */
  readonly question: string
  /** Folder, name and definition: what an answer for always is kept under in `command_allowlist`. */
  readonly rule: string
}

export interface ProjectServers extends Pick<ProjectFile, 'path' | 'problem'> {
  readonly servers: readonly ProjectServer[]
}

interface ProjectGround {
  readonly workspace: string
  /** Names that no project may use for its servers. */
  readonly taken: readonly string[]
  /** `command_allowlist`. */
  readonly allowlist: readonly string[]
}

const word = z.string().check(z.maxLength(4000))
const named = z.optional(z.record(z.string(), word))
const program = z.object({
  type: z.optional(z.literal('stdio')),
  command: word.check(z.minLength(1)),
  args: z.optional(z.array(word)),
  env: named,
})
const address = z.object({
  type: z.optional(z.enum(['http', 'streamable-http', 'sse'])),
  url: word.check(z.regex(/^https?:\/\//)),
  headers: named,
})

/** A tool's question of the host is never longer. */
const longestQuestion = 500

/** The servers that the project of a folder names, each with what becomes of it; undefined where it names none. Nothing is started. */
export function readProjectServers({ workspace, taken, allowlist }: ProjectGround): ProjectServers | undefined {
  const file = readProjectFile(workspace)
  if (!file) return undefined
  const { path, problem } = file
  const names = new Set(taken.map(plain))
  const servers = Object.entries(file.servers).map(([name, given]): ProjectServer => {
    const found = judge(file, name, given, names)
    if ('problem' in found) return { name: shownName(name), state: 'refused', shown: '', problem: found.problem }
    const { shown, settings } = found
    return { name, shown, state: isAllowed(settings.project.rule, allowlist) ? 'allowed' : 'asked', settings }
  })
  return { path, servers, ...(problem === undefined ? {} : { problem }) }
}

/** All that was ever allowed of a server of a project's folder, and of its tools, begins with this behind the name of the tool. */
export function rulesOfServer(folder: string, name: string): string {
  // No name of a server begins with a tilde, so that no rule about a tool is one of these.
  return `~project/${hashOf(folder).slice(0, 16)}/${name}/`
}

/** The part of an entry of `command_allowlist` that says which tool of which server it is about. */
export const ruleIn = (entry: string): string => /^mcp_\w+@(.+)$/.exec(entry)?.[1] ?? ''

const isAllowed = (rule: string, allowlist: readonly string[]): boolean => allowlist.some((entry) => ruleIn(entry) === rule)

type Judged = { readonly problem: string } | { readonly shown: string; readonly settings: NonNullable<ProjectServer['settings']> }

function judge({ folder, path }: ProjectFile, name: string, given: unknown, taken: ReadonlySet<string>): Judged {
  if (!mcpServerName.safeParse(name).success) return { problem: 'its name is none: letters, digits, hyphens and underscores, at most 32' }
  if (taken.has(plain(name))) return { problem: 'a server of your settings has this name' }
  const server = readServer(given)
  if (!server) return { problem: 'it needs a command or an address that begins with http:// or https://, and not both' }
  if (textsOf(server).some(hasUnseen)) return { problem: 'it has characters that nobody sees' }
  // Some doors lay a question out, and what stands there must look like what it is.
  if (textsOf(server).some((text) => text.includes('`'))) return { problem: 'it has a backtick, which would end the line in the question' }
  if (textsOf(server).some((text) => text.includes('${')))
    return { problem: 'it names a variable, and no project reads yours; agent mcp add takes one into your settings' }
  const shown = lineOf(server)
  if (shown === undefined) return { problem: 'one of its variables or headers has a name that is none' }
  const does = server.command === undefined ? 'asks' : 'starts'
  const question = `it ${does} the MCP server ${name} of ${path}: \`${shown}\``
  if (question.length > longestQuestion) return { problem: `it is longer than a question may be (${longestQuestion} characters)` }
  const rule = `${rulesOfServer(folder, name)}${hashOf(JSON.stringify(server))}`
  return { shown, settings: { ...server, ...(server.command === undefined ? {} : { cwd: folder }), project: { question, rule } } }
}

/** Keys that it does not know belong to other programs. */
function readServer(given: unknown): McpServer | undefined {
  const [started, asked] = [program.safeParse(given).data, address.safeParse(given).data]
  const isBoth = typeof given === 'object' && given !== null && 'command' in given && 'url' in given
  if (isBoth) return undefined
  if (started) {
    const { command, args = [], env = {} } = started
    return { command, args, env }
  }
  if (!asked) return undefined
  const { type, url, headers = {} } = asked
  return { url, headers, ...(type === undefined ? {} : { transport: type === 'sse' ? 'sse' : 'http' }) }
}

const textsOf = ({ command = '', args = [], env = {}, url = '', headers = {} }: McpServer): readonly string[] => [
  ...[command, url, ...args],
  ...[env, headers].flatMap((each) => Object.entries(each).flat()),
]

/** As a person would write it in a shell; the values of headers may be secrets. */
function lineOf({ command, args = [], env = {}, url = '', headers = {} }: McpServer): string | undefined {
  if (command === undefined) {
    const names = Object.keys(headers)
    if (!names.every((name) => /^[\w-]+$/.test(name))) return undefined
    return names.length === 0 ? url : `${url} with ${names.join(', ')}`
  }
  if (!Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name))) return undefined
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`)
  return [...variables, quoted(command), ...args.map(quoted)].join(' ')
}

const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : quoteWord(text))

/** Names of tools know no hyphen. */
const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, '_')

const shownName = (name: string): string => (/^[\w-]{1,40}$/.test(name) ? name : showJson(JSON.stringify(name.slice(0, 40))))

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
