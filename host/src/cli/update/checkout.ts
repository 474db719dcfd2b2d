import { fail } from '@agent/plugin-sdk/errors'
import { ProgramFailure, runProgram, type StepRun } from './run-program.ts'

/** How a checkout stands to the branch that it follows, after a look at the server. */
export interface Standing {
  readonly branch: string
  readonly head: string
  readonly target: string
  /** First lines of the commits that an update brings, the newest first. */
  readonly incoming: readonly string[]
  /** Commits of this machine that the server does not have. */
  readonly own: number
  /** Files of the program that were changed here. */
  readonly edited: readonly string[]
}

/** The git checkout that the program runs from. */
export interface Checkout {
  look(): Promise<Standing>
  /** Puts changes of this machine aside in git's stash. */
  putAside(): Promise<void>
  /** Brings them back, and keeps the stash; false where they no longer fit, which leaves the files as they came from the server. */
  bringBack(): Promise<boolean>
  forgetAside(): Promise<void>
  /** Goes forward to a commit; nothing of this machine is overwritten. */
  goForward(commit: string): Promise<void>
  /** Goes to a commit, whatever lies in the files. */
  goBack(commit: string): Promise<void>
}

const quickMs = 30_000
const fetchMs = 300_000

export function openCheckout(run: Omit<StepRun, 'timeoutMs'>): Checkout {
  // Nobody can answer a question of git here.
  const environment = { ...run.environment, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }
  const git = (words: readonly string[], timeoutMs = quickMs): Promise<string> =>
    runProgram('git', ['-c', 'core.hooksPath=/dev/null', ...words], { ...run, environment, timeoutMs })
  const ask = async (...words: string[]): Promise<string | undefined> => {
    try {
      return (await git(words)).trim()
    } catch (error) {
      if (error instanceof ProgramFailure) return undefined
      throw error
    }
  }
  return {
    async look() {
      const status = await git(['status', '--porcelain=v2', '--branch', '--untracked-files=no', '-z']).catch((error: unknown) => {
        if (!(error instanceof ProgramFailure)) throw error
        throw impossible(`git cannot look at ${run.cwd}: ${error.message}`, 'Mend that, then try again.')
      })
      const about = readStatus(status)
      if (about.branch === undefined)
        throw impossible(`${run.cwd} is on no branch of a git repository`, 'Switch to one with git switch, then try again.')
      if (!about.hasUpstream)
        throw impossible(
          `The branch ${about.branch} follows none of a server`,
          `git branch --set-upstream-to=origin/${about.branch} makes it follow one.`,
        )
      await git(['fetch', '--quiet'], fetchMs).catch((error: unknown) => {
        if (!(error instanceof ProgramFailure)) throw error
        throw impossible(`The server of the program was not reached (${error.message})`, 'Look at the network, then try again.')
      })
      const commits = (await git(['log', '--left-right', '--format=%m%H %s', 'HEAD...@{upstream}'])).split('\n')
      const incoming = commits.filter((line) => line.startsWith('>'))
      return {
        ...{ branch: about.branch, head: about.head, edited: about.edited },
        target: incoming[0]?.slice(1, 1 + about.head.length) ?? about.head,
        incoming: incoming.map((line) => line.slice(line.indexOf(' ') + 1)),
        own: commits.filter((line) => line.startsWith('<')).length,
      }
    },
    putAside: async () =>
      void (await git(['-c', 'user.name=agent', '-c', 'user.email=agent@localhost', 'stash', 'push', '--quiet', '-m', 'agent update'])),
    async bringBack() {
      if ((await ask('stash', 'apply', '--quiet')) !== undefined) return true
      await git(['reset', '--hard', '--quiet'])
      return false
    },
    forgetAside: async () => void (await git(['stash', 'drop', '--quiet'])),
    goForward: async (commit) => void (await git(['merge', '--ff-only', '--quiet', commit])),
    goBack: async (commit) => void (await git(['reset', '--hard', '--quiet', commit])),
  }
}

/** `git status --porcelain=v2 --branch -z`: headers, then one entry for each changed file, with its old name behind a renamed one. */
function readStatus(
  text: string,
): Pick<Standing, 'head' | 'edited'> & { readonly branch: string | undefined; readonly hasUpstream: boolean } {
  const entries = text.split('\0')
  const header = (name: string): string | undefined => entries.find((each) => each.startsWith(`# ${name} `))?.slice(name.length + 3)
  const branch = header('branch.head')
  return {
    ...{ head: header('branch.oid') ?? '', hasUpstream: header('branch.upstream') !== undefined },
    branch: branch === '(detached)' ? undefined : branch,
    // Fields before the path: eight of a changed file, nine of a renamed one, ten of one in conflict.
    edited: entries.flatMap((each) => /^(?:1(?: \S+){7}|2(?: \S+){8}|u(?: \S+){9}) (.*)$/s.exec(each)?.[1] ?? []),
  }
}

export function impossible(problem: string, next: string): Error {
  return fail('UPDATE_IMPOSSIBLE', { problem, next })
}
