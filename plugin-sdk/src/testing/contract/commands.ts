import type { CommandAnswer, CommandRequest, OpenCommands } from '../../kinds/commands.ts'
import type { TestContext } from '../rig/test-context.ts'
import { type ContractCase, commonRules, type RunOptions, requireQuick, rulesOf, type SetUp, type Stage } from './stage.ts'

/** A command as somebody gives it, where it is only said as far as it matters. */
export type CommandTrial = Pick<CommandRequest, 'name'> & Partial<CommandRequest>

/** What drives commands: some that are given. */
export interface CommandsWorld extends SetUp, AsyncDisposable {
  /** Each is answered: at least one for each command without a prompt. */
  readonly given: readonly CommandTrial[]
  /** One that cannot be done, such as with arguments that make no sense. */
  readonly failing?: CommandTrial
  /** One that takes long enough to be given up. */
  readonly slow?: CommandTrial
}

/** What the suite for commands needs. */
export interface CommandsContractOptions extends RunOptions<'commands'> {
  readonly world: () => Promise<CommandsWorld>
}

type CommandsStage = Stage<'commands'>

/** The rules of commands; those with a prompt are data, and not tried. */
export function commandsContract(options: CommandsContractOptions): readonly ContractCase[] {
  const { subject } = options
  const rule = rulesOf(options)
  return [
    rule('shape', 'what is opened runs commands', async (stage: CommandsStage, world) => {
      const { run } = await open(stage, stage.host(world))
      stage.expect(typeof run === 'function', 'it has no method run')
    }),
    rule('answer', 'each command is answered with a text', async (stage: CommandsStage, world) => {
      const untried = declaredCommands(subject).filter((name) => !world.given.some((trial) => trial.name === name))
      stage.expect(untried.length === 0, `the world of the tests gives no ${untried.join(', ')}, so that nothing is proved`)
      const commands = await open(stage, stage.host(world))
      for (const trial of world.given) {
        const answer: unknown = await run(stage, commands, trial)
        const text = typeof answer === 'object' && answer !== null && 'text' in answer ? answer.text : undefined
        stage.expect(typeof text === 'string', `/${trial.name} was answered ${JSON.stringify(answer)}`)
      }
    }),
    rule('errors', 'a command that cannot be done fails with a code', async (stage: CommandsStage, world) => {
      const { failing } = world
      if (!failing) return stage.untried('failing')
      await stage.rejection(run(stage, await open(stage, stage.host(world)), failing), `/${failing.name}`)
    }),
    rule('abort', 'a command that is given up ends, and nothing goes on behind it', checkAbort),
    ...commonRules(options, async (stage: CommandsStage, host, world: CommandsWorld) => {
      const commands = await open(stage, host)
      for (const trial of world.given) await run(stage, commands, trial)
    }),
  ]
}

function declaredCommands({ manifest, contribution }: CommandsStage['subject']): readonly string[] {
  const found = manifest.contributes.commands.find(({ id }) => id === contribution)
  return (found?.commands ?? []).filter(({ prompt }) => prompt === undefined).map(({ name }) => name)
}

async function open(stage: CommandsStage, host: TestContext): Promise<OpenCommands> {
  return await stage.within(stage.plugin.entry.open(host.context, stage.call()), 'open')
}

async function run(stage: CommandsStage, commands: OpenCommands, trial: CommandTrial, signal?: AbortSignal): Promise<CommandAnswer> {
  return await stage.within(commands.run({ args: '', surface: 'cli', ...trial }, stage.call(signal)), `/${trial.name}`)
}

async function checkAbort(stage: CommandsStage, world: CommandsWorld): Promise<void> {
  if (!world.slow) return requireQuick(stage, world, 'slow')
  const { control } = stage.plugin
  const commands = await open(stage, stage.host(world))
  const controller = new AbortController()
  const running = run(stage, commands, world.slow, controller.signal).then(
    () => 'answered',
    () => 'rejected',
  )
  await stage.until(async () => (await control.busy()) === 1, 'the command did not start')
  controller.abort()
  stage.expect((await running) === 'rejected', 'an aborted command was answered')
  await stage.until(async () => (await control.busy()) === 0, 'the command goes on after abort')
}
