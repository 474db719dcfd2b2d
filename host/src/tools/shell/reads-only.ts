import { parseCommands, type SimpleCommand } from './parse-commands.ts'

/** Programs that change no file whatever their arguments are. */
const readers: ReadonlySet<string> = new Set(
  ': [ [[ ]] basename cat cd cksum cmp comm cut date df diff dirname du echo egrep expr false fgrep grep groups head hostname id jq ls lscpu lsblk md5sum nl nproc od printenv printf ps pwd readlink realpath seq sha1sum sha256sum sha512sum sleep stat strings tac tail test tr true tty type uname uptime wc which who whoami xxd'.split(
    ' ',
  ),
)

/** Programs that change none unless one of these is among their arguments. */
const careful: Readonly<Record<string, RegExp>> = {
  find: /^-(delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)$/,
  rg: /^--(pre|hostname-bin)/,
  sort: /^(-[a-zA-Z]*o|--o|--compress-program)/,
}

/** Subcommands of git that look, and what makes them write or start something. */
const gitLooks = /^(blame|describe|diff|log|ls-files|ls-tree|rev-list|rev-parse|shortlog|show|status)$/
const gitWrites = /^(--output|--ext-diff|--textconv)/

/** Programs of which some write where their operands say. */
const writesOperand = /^(xxd|hostname|date)$/

/**
 * Whether a shell command is known to change no file. Where that is not plain to see it counts as one that may: a variable, an assignment, a
 * redirection or a program that is not known here.
 */
export function readsOnly(source: string): boolean {
  try {
    const { pipelines, nested } = parseCommands(source, new Map())
    const commands = pipelines.flatMap((pipeline) => pipeline.commands)
    return commands.length > 0 && !/\(\s*\)/.test(source) && commands.every(isReader) && nested.every(readsOnly)
  } catch {
    // What cannot be read is not known.
    return false
  }
}

function isReader({ words, assignments, redirects }: SimpleCommand): boolean {
  const [program = '', ...rest] = words
  if (assignments.length > 0 || !redirects.every(isHarmless)) return false
  if (program === 'git') return gitLooks.test(rest[0] ?? '') && !rest.some((word) => gitWrites.test(word))
  const unless = Object.hasOwn(careful, program) ? careful[program] : undefined
  if (unless) return !rest.some((word) => unless.test(word))
  if (writesOperand.test(program)) return rest.every((word) => /^[-+]/.test(word) && !/^(-s|--set|-r|--revert|-F|--file)/.test(word))
  return readers.has(program)
}

const isHarmless = ({ operator, target }: SimpleCommand['redirects'][number]): boolean =>
  operator.endsWith('<') || target === '/dev/null' || (operator.endsWith('&') && /^\d$/.test(target)) || /&\d$/.test(operator)
