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
      const branch = await ask('symbolic-ref', '--short', 'HEAD')
      if (branch === undefined)
        throw impossible(`${run.cwd} is on no branch of a git repository`, 'Switch to one with git switch, then try again.')
      if ((await ask('rev-parse', '--abbrev-ref', '@{upstream}')) === undefined)
        throw impossible(
          `The branch ${branch} follows none of a server`,
          `git branch --set-upstream-to=origin/${branch} makes it follow one.`,
        )
      await git(['fetch', '--quiet'], fetchMs).catch((error: unknown) => {
        if (!(error instanceof ProgramFailure)) throw error
        throw impossible(`The server of the program was not reached (${error.message})`, 'Look at the network, then try again.')
      })
      const log = await git(['log', '--format=%s', 'HEAD..@{upstream}'])
      const edited = await git(['status', '--porcelain', '--untracked-files=no', '-z'])
      return {
        branch,
        head: (await git(['rev-parse', 'HEAD'])).trim(),
        target: (await git(['rev-parse', '@{upstream}'])).trim(),
        incoming: log.split('\n').filter((line) => line !== ''),
        own: Number(await git(['rev-list', '--count', '@{upstream}..HEAD'])),
        edited: edited.split('\0').flatMap((entry) => (/^.. ./.test(entry) ? [entry.slice(3)] : [])),
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

export function impossible(problem: string, next: string): Error {
  return fail('UPDATE_IMPOSSIBLE', { problem, next })
}
