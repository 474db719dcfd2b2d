import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type OpenAgent, openAgent } from '../../../../host/src/agent/open-agent.ts'
import { createCall } from '../../../../host/src/kernel/calls/call.ts'
import { type Bench, type Figure, median, type Row } from '../../figure.ts'

const rounds = 120
const warmingUp = 20
const children = 3
const budgetMs = 3

/** A turn that hands on three tasks, beside a turn that calls another tool and the three plain turns that the children are. */
export const delegationOverhead: Figure = {
  name: 'delegation-overhead',
  async measure(bench) {
    const agent = await openBenchAgent(bench)
    try {
      return [await measure(agent)]
    } finally {
      await agent.close()
    }
  },
}

function openBenchAgent({ root, folder }: Bench): Promise<OpenAgent> {
  const [home, workspace] = [join(folder, 'delegation', 'home'), join(folder, 'delegation', 'work')]
  for (const path of [home, workspace]) mkdirSync(path, { recursive: true })
  return openAgent({
    ...{ installRoot: root, profile: undefined, workspace, note: () => undefined },
    environment: { ...process.env, AGENT_HOME: home, AGENT_INFERENCE_PROVIDER: 'offline' },
  })
}

async function measure(agent: OpenAgent): Promise<Row> {
  const tasks = JSON.stringify({ tasks: Array.from({ length: children }, () => ({ goal: 'hello' })) })
  const measured: { readonly plain: number; readonly own: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const delegating = await timeTurn(agent, `call delegate_task ${tasks}`)
    const searching = await timeTurn(agent, 'call tool_search {"query": "hand on a task"}')
    const plain = await timeTogether(agent, 'hello')
    measured.push({ plain: plain / children, own: (delegating - searching - plain) / children })
  }
  const warm = measured.slice(warmingUp)
  const own = median(warm.map((round) => round.own))
  return {
    figure: 'delegation-overhead',
    budget: `≤ ${budgetMs} ms a child`,
    floor: `${median(warm.map((round) => round.plain)).toFixed(2)} ms a plain turn`,
    value: `${own.toFixed(2)} ms`,
    ok: own <= budgetMs,
    note: `${children} children side by side, less a turn with another tool and ${children} plain turns side by side; median of the rounds' own differences`,
  }
}

async function timeTogether(agent: OpenAgent, text: string): Promise<number> {
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: children }, () => timeTurn(agent, text)))
  return performance.now() - startedAt
}

/** Milliseconds of a turn that has to succeed. */
async function timeTurn(agent: OpenAgent, text: string): Promise<number> {
  const startedAt = performance.now()
  const request = { input: [{ type: 'text', text }], source: 'bench', canAnswer: false } as const
  for await (const event of agent.turns.run(request, createCall(new AbortController().signal)))
    if ((event.type === 'tool.complete' && !event.ok) || event.type === 'error')
      throw new Error(`a turn of the bench failed: ${event.text}`)
  return performance.now() - startedAt
}
