import { openDebianTree } from '../../support/servers/debian-tree.ts'
import { findServerTrials, type ServerTrial, type TrialGateway } from '../../support/servers/server-trials.ts'
import { openTestHome } from '../../support/test-home.ts'
import { startGateway } from '../gateway-process.ts'
import { printProblems, printTable } from '../table.ts'

interface Row {
  readonly platform: string
  readonly what: string
  readonly figures: string
}

/** `npm run test:faults -- servers [platform…]`: real servers on the limits that they come with. */
export async function runServers({ names }: { readonly names: readonly string[] }): Promise<boolean> {
  const trials = await findServerTrials()
  const tree = await openDebianTree(trials.map(({ debianPackage }) => debianPackage))
  const rows: Row[] = []
  const problems: string[] = []
  const wanted = trials.filter(({ platform }) => names.length === 0 || names.includes(platform))
  for (const [platform, openServerTrial] of wanted.flatMap((one) => one.serverTrials.map((open) => [one.platform, open] as const))) {
    await using trial = await openServerTrial(tree)
    const found = await tryServer(platform, trial)
    rows.push({ platform, what: trial.what, figures: found.figures })
    problems.push(...found.problems.map((problem) => `${platform}: ${problem}`))
  }
  if (rows.length === 0) problems.push(`No platform named ${names.join(' or ')} brings a trial.`)
  printTable(
    [
      ['platform', ({ platform }) => platform],
      ['what', ({ what }) => what],
      ['figures', ({ figures }) => figures],
    ],
    rows,
  )
  return printProblems(problems, 'Every message was answered in its time, once.')
}

async function tryServer(platform: string, trial: ServerTrial): ReturnType<ServerTrial['talk']> {
  using home = openTestHome()
  const { config: extra, environment } = trial
  home.write(
    'config.yaml',
    JSON.stringify({ plugins: { entries: { [`platform-${platform}`]: { enabled: true } } }, platforms: { [platform]: { extra } } }),
  )
  let running: ReturnType<typeof startGateway> | undefined
  const gateway: TrialGateway = {
    start: async () => {
      running = startGateway(home, [], environment)
      await running.heard(new RegExp(`${platform}: connected`))
    },
    kill: async () => {
      running?.child.kill('SIGKILL')
      await running?.ended
    },
  }
  try {
    await gateway.start()
    return await trial.talk(gateway)
  } finally {
    await gateway.kill()
  }
}
