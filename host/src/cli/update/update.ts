import { join } from 'node:path'
import { detailOf } from '@agent/plugin-sdk/errors'
import { impossible, openCheckout, type Standing } from './checkout.ts'
import { ProgramFailure, runProgram, type StepRun } from './run-program.ts'

export interface UpdateOptions {
  readonly standing: Standing
  /** How git and the program's own scripts are run, in the folder of the program. */
  readonly run: Omit<StepRun, 'timeoutMs'>
  /** Hears each step before it is done. */
  readonly tell: (step: string) => void
}

/** What became of changes of this machine: `kept` holds what no longer fits, for git stash. */
export type EditsFate = 'none' | 'back' | 'kept'

const stepMs = 15 * 60_000

/**
 * Goes forward to what the server has, with its packages and its build. Rejects with UPDATE_IMPOSSIBLE where a step fails, with
 * every file as it was before; `keepEdits` false leaves changes of this machine in git's stash.
 */
export async function update(options: UpdateOptions, keepEdits: boolean): Promise<EditsFate> {
  const { standing, run, tell } = options
  const checkout = openCheckout(run)
  const isEdited = standing.edited.length > 0
  if (isEdited) await step('putting changes of this machine aside', () => checkout.putAside())
  let fate: EditsFate = isEdited ? 'kept' : 'none'
  try {
    tell('Taking the new files …')
    await step('taking the new files', () => checkout.goForward(standing.target))
    if (isEdited && keepEdits && (await checkout.bringBack())) fate = 'back'
    await prepare(options)
  } catch (error) {
    await goBack(options, isEdited)
    throw error
  }
  if (fate === 'back') await checkout.forgetAside()
  return fate
}

/** Packages and build, by the script that each version brings along. */
async function prepare({ run, tell }: UpdateOptions): Promise<void> {
  for (const [word, what] of [
    ['install', 'installing packages'],
    ['build', 'building'],
  ] as const) {
    tell(`${what.charAt(0).toUpperCase()}${what.slice(1)} …`)
    await step(what, () => runScript(run, word))
  }
}

function runScript(run: UpdateOptions['run'], word: string): Promise<string> {
  return runProgram(process.execPath, [join(run.cwd, 'host', 'install', 'run.mjs'), word], { ...run, timeoutMs: stepMs })
}

async function goBack(options: UpdateOptions, isEdited: boolean): Promise<void> {
  try {
    await takeBack(options, isEdited)
  } catch (error) {
    const { head } = options.standing
    const edits = isEdited ? ', and git stash list names what was changed here' : ''
    throw impossible(
      `The update failed, and the way back too (${detailOf(error).replace(/\.$/, '')})`,
      `git reset --hard ${head} and npm start in ${options.run.cwd} bring the version of before${edits}.`,
    )
  }
}

/** Everything as before, also where the person interrupts. */
async function takeBack(options: UpdateOptions, isEdited: boolean): Promise<void> {
  const { standing, tell } = options
  tell('Going back to the version of before …')
  const run = { ...options.run, signal: new AbortController().signal }
  const checkout = openCheckout(run)
  await checkout.goBack(standing.head)
  if (isEdited && (await checkout.bringBack())) await checkout.forgetAside()
  for (const word of ['install', 'build']) await runScript(run, word)
}

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error
    throw impossible(`The update failed at ${what}: ${error.message}`, 'The program is as it was.')
  }
}
