// @module-tag process
import { expect } from 'vitest'
import { gatewayRuns, runAgent, startAgent } from '../../support/run-agent.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

proves(
  'cli.gateway.lifecycle',
  'a gateway of one home is started, seen, restarted and stopped, and that of another is not touched',
  async () => {
    using home = openTestHome()
    using other = openTestHome()
    const pidOf = async (of: TestHome): Promise<number | null> => JSON.parse((await runAgent(of, ['gateway', 'status', '--json'])).out).pid
    expect(await runAgent(home, ['gateway', 'status'])).toMatchObject({ code: 1 })
    expect(await runAgent(home, ['gateway', 'start'])).toMatchObject({ code: 0 })
    const beside = startAgent(other, ['gateway', 'run'])
    await beside.heard(gatewayRuns)
    const first = await pidOf(home)
    expect(await runAgent(home, ['gateway', 'start'])).toMatchObject({ code: 1, note: expect.stringContaining(`pid ${first}`) })
    expect(await runAgent(home, ['gateway', 'restart'])).toMatchObject({ code: 0 })
    const second = await pidOf(home)
    expect([second === null, second === first, second === beside.child.pid]).toEqual([false, false, false])
    expect(await runAgent(home, ['gateway', 'stop'])).toMatchObject({ code: 0 })
    expect(await pidOf(home)).toBeNull()
    expect(await pidOf(other)).toBe(beside.child.pid)
    beside.child.kill()
    await beside.ended
  },
)
