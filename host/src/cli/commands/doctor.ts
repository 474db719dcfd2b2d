import { Command } from 'commander'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { checkDeprecated } from '../doctor/check-deprecated.ts'
import {
  checkConfig,
  checkGateway,
  checkHome,
  checkLocalServers,
  checkPlugins,
  checkSkills,
  checkStore,
  checkWeb,
} from '../doctor/check-home.ts'
import { checkClock, checkDisk, checkModes, checkNode, checkPluginSandbox, checkSandbox } from '../doctor/check-machine.ts'
import { checkModel } from '../doctor/check-model.ts'
import { type Finding, failed } from '../doctor/finding.ts'

interface DoctorOptions {
  readonly json?: true
  readonly call?: true
}

export function command(cli: Cli): Command {
  return new Command('doctor')
    .description('Look for what keeps the agent from working. Nothing is changed.')
    .option('--call', 'ask the model one short question, which may cost a little')
    .option('--json', 'as JSON')
    .action((options: DoctorOptions) => examine(cli, options))
}

/** Exit code 1 where a message would not be answered. */
async function examine(cli: Cli, { json, call }: DoctorOptions): Promise<void> {
  const findings = await findAll(cli, call === true)
  if (findings.some((each) => each.verdict === 'problem')) cli.exit(1)
  if (json) return cli.json({ findings })
  const colours = { ok: 'green', warning: 'yellow', problem: 'red' } as const
  const rows = findings.flatMap(({ check, verdict, detail, fix }) => [
    [paint(cli, colours[verdict], verdict), check, detail],
    ...(fix === undefined ? [] : [['', '', paint(cli, 'dim', `→ ${fix}`)]]),
  ])
  cli.out(formatTable(rows))
}

type Check = () => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>

/** The checks run side by side and are told in their order; one that breaks is a finding. */
async function findAll(cli: Cli, call: boolean): Promise<readonly Finding[]> {
  const machine = [checkNode(), checkClock()]
  try {
    const found = await openCatalog(cli)
    const checks: Readonly<Record<string, Check>> = {
      home: () => checkHome(found),
      'file modes': () => checkModes(found),
      disk: () => checkDisk(found),
      configuration: () => checkConfig(found),
      plugins: () => checkPlugins(found),
      deprecated: () => checkDeprecated(cli.installRoot, found),
      model: () => checkModel(cli, found, call),
      web: () => checkWeb(found),
      sandbox: () => checkSandbox(found),
      'plugin sandbox': () => checkPluginSandbox(found),
      gateway: () => checkGateway(cli, found),
      skills: () => checkSkills(found),
      store: () => checkStore(cli, found),
      'local models': () => checkLocalServers(cli, found),
    }
    const findings = Object.entries(checks).map(async ([check, run]) => {
      try {
        return await run()
      } catch (error) {
        cli.signal.throwIfAborted()
        return failed(check, error)
      }
    })
    return [...machine, ...(await Promise.all(findings)).flat()]
  } catch (error) {
    cli.signal.throwIfAborted()
    return [...machine, failed('configuration', error)]
  }
}
