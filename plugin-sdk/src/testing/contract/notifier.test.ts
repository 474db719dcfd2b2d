import { expect, test } from 'vitest'
import { manifestSchema } from '../../kinds/manifest.ts'
import { type Notifier, notifierKind } from '../../kinds/notifier.ts'
import { openClone } from '../rig/subject.ts'
import { type NotifierWorld, notifierContract } from './notifier.ts'

const events = [
  { name: 'job.end', data: { job: 'job_1', name: 'tea', state: 'failed', text: 'no water' } },
  { name: 'background.end', data: { kind: 'error', text: 'no water' } },
  { name: 'subagent.end', data: { task: 'make tea', state: 'timeout', text: 'no water' } },
  { name: 'question.waiting', data: { kind: 'approval', text: 'May I boil it?' } },
]
const manifestOf = (names: readonly string[]) =>
  manifestSchema.safeParse({
    ...{ manifestVersion: 1, id: 'notifier-bell', name: 'Bell', description: 'd', version: '1.0.0', license: 'MIT' },
    api: { notifier: 1 },
    contributes: { notifiers: [{ id: 'bell', entry: 'dist/notifier.bell.js', label: 'Bell', events: names }] },
  })

/** Tells the text of each event. */
const bell: Notifier = {
  open: async () => ({
    hear: async ({ data }) => {
      const { text } = (data ?? {}) as { readonly text?: unknown }
      return typeof text === 'string' ? [{ text }] : []
    },
  }),
}

async function findings(more: Partial<NotifierWorld>): Promise<readonly string[]> {
  const open = async () => openClone('notifier', bell)
  const manifest = manifestOf(events.map(({ name }) => name)).data
  if (!manifest) throw new Error('the manifest does not fit')
  const subject = { kind: 'notifier', manifest, contribution: 'bell', place: 'clone', open } as const
  const world = async () => ({ config: {}, quick: true, events, ...more, [Symbol.asyncDispose]: async () => undefined }) as const
  const found: string[] = []
  for (const { run } of notifierContract({ subject, patienceMs: 500, world }))
    await run().catch((error: Error) => found.push(error.message))
  return found
}

test('a notifier of every event of the host keeps every rule', async () => {
  expect(await findings({})).toEqual([])
})

test.each(events)('a world with another $name than the host raises proves nothing', async ({ name, data }) => {
  const others = events.filter((event) => event.name !== name)
  const [odd] = await findings({ events: [...others, { name, data: { ...data, sound: 'ding' } }] })
  expect(odd).toContain(`the host raises no ${name} like that of the world`)
  const [quiet] = await findings({ quiet: { name, data: { ...data, text: 1 } as never } })
  expect(quiet).toContain(`the host raises no ${name} like that of the world: text`)
})

test('the first words of events of the host belong to it, those of now and of later', () => {
  const problemsOf = (name: string): readonly string[] =>
    (manifestOf([name]).data?.contributes.notifiers ?? []).flatMap((spec) =>
      (notifierKind.problems?.(spec, 'notifiers.bell') ?? []).map(({ problem }) => problem),
    )
  const all = 'is no event of the host, which has job.end, background.end, subagent.end, question.waiting'
  expect(['subagent.start', 'question.answered', 'subagent.end', 'bell.rung'].map(problemsOf)).toEqual([[all], [all], [], []])
})
