import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import { type FakeAnswer, type FakeRequest, listOf } from '../../../../test/support/fakes/fake-vendor.ts'
import { importSourceEntry } from '../../../../test/support/source-entry.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { openAgent } from '../open-agent.ts'

const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))
const taskA = 'Task A: count the boats in a.txt.'
const notes = '## Progress\n### Done\n- Task A: count the boats in a.txt. There are 12.\n### In progress\n- The reading of b files.'

/** A model that does both tasks, and writes notes where it is let. */
function answerBy(writesNotes: boolean): (request: FakeRequest) => FakeAnswer {
  let calls = 0
  const reads = (path: string): FakeAnswer => ({
    calls: [{ id: `call_${++calls}`, name: 'read_file', args: JSON.stringify({ path }) }],
  })
  return ({ body, raw }) => {
    const usage = { input: Math.ceil(raw.length / 4), output: 20 }
    const messages = listOf(body.messages)
    if (String(messages[0]?.content).startsWith('You keep the notes'))
      return writesNotes ? { text: notes } : { refuse: { status: 401, message: 'no' } }
    const asked = String(JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content))
    const isAnswered = messages.at(-1)?.role === 'tool'
    if (asked.includes('Task B'))
      return { ...(calls < 7 ? { text: 'I read on.', ...reads(`b${calls - 1}.txt`) } : { text: 'Compared.' }), usage }
    if (asked.includes('Task A')) return { ...(isAnswered ? { text: 'There are 12.' } : reads('a.txt')), usage }
    return { text: 'Hello.', usage }
  }
}

/** The last words of the person as the model hears them, the sections of the notes before them, and everything else that it hears. */
function hear(request: FakeRequest | undefined) {
  const messages = listOf(request?.body.messages)
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const [notes = '', asked = ''] = String(messages[last]?.content).split('[End of the notes.]')
  const sections = notes.split(/^#+ /m).map((section) => [section.split('\n')[0] ?? '', section] as const)
  const others = JSON.stringify([...messages.slice(1, last), ...messages.slice(last + 1)])
  return {
    asked: asked.trim(),
    others,
    sectionsWith: (text: string) => sections.flatMap(([name, section]) => (section.includes(text) ? [name] : [])),
  }
}

interface Case {
  readonly writesNotes: boolean
  /** It becomes too long before the second task is begun, or while it is worked on. */
  readonly when: 'before' | 'while'
}

test.each<Case>([
  { writesNotes: true, when: 'before' },
  { writesNotes: false, when: 'before' },
  { writesNotes: true, when: 'while' },
  { writesNotes: false, when: 'while' },
])(
  'a finished task stands under Done alone, and the open one is asked for last, word for word: too long $when it, notes of a model: $writesNotes',
  async ({ writesNotes, when }) => {
    using home = openTestHome()
    await using server = await startFakeOpenai({ models: ['m'], answers: answerBy(writesNotes) })
    const model = { provider: 'custom', default: 'm', base_url: server.url }
    const models = [{ provider: 'custom', model: 'm', context: 16_000 }]
    home.write('config.yaml', JSON.stringify({ model, models, sessions: { auto_title: false } }))
    const [sizeOfA, sizeOfB, please] = when === 'before' ? [21_000, 10, ' Please.'.repeat(750)] : [300, 5_500, '']
    const taskB = `Task B: read b0.txt to b5.txt,\n  and compare "them" — all of it.${please}`
    writeFileSync(join(home.work, 'a.txt'), 'x'.repeat(sizeOfA))
    for (let file = 0; file < 6; file++) writeFileSync(join(home.work, `b${file}.txt`), 'y'.repeat(sizeOfB))
    const agent = await openAgent({
      ...{ installRoot, environment: home.environment, workspace: home.work, profile: undefined, note: () => undefined },
      importEntry: importSourceEntry,
    })
    const told: string[] = []
    try {
      for (const text of ['Hi.', taskA, taskB]) {
        const request = { input: [{ type: 'text' as const, text }], source: 'cli', canAnswer: true, session: { key: 'two' } }
        for await (const event of agent.turns.run(request, createCall(new AbortController().signal)))
          if (event.type === 'status') told.push(event.text)
      }
    } finally {
      await agent.close()
    }
    expect(told).toEqual([expect.stringContaining('was made shorter')])
    const { asked, others, sectionsWith } = hear(server.requests.at(-1))
    expect(asked).toBe(taskB)
    expect([sectionsWith('Task A'), others.includes('Task A')]).toEqual([['Done'], false])
    expect(sectionsWith('Task B')).toEqual(when === 'while' && !writesNotes ? ['In progress'] : [])
  },
)
