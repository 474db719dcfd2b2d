import type { Notice } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { ConversationRef } from '#store/journal.ts'
import { talkSpec } from '../testing/talk.ts'
import { openNoticeTeller } from './tell-notices.ts'

const specs = [talkSpec({ limits: { maxLength: 40 } }), talkSpec({ id: 'door', door: 'request' })]
const keys: Readonly<Record<string, string>> = {
  ses_talk: 'agent:main:talk:group:bot:room:ann',
  ses_door: 'agent:main:door:dm:bot:ann',
  ses_api: 'api-server-0a1b',
  ses_gone: 'agent:main:gone:dm:bot:ann',
}

interface Rig {
  readonly tell: (session: string, text: string) => void
  readonly posted: { readonly place: ConversationRef; readonly texts: readonly string[]; readonly id: string }[]
  readonly problems: string[]
  readonly close: () => Promise<void>
  readonly isListening: () => boolean
}

function open(prefix = '', onPost: () => Promise<void> = async () => undefined): Rig {
  const posted: Rig['posted'] = []
  const problems: string[] = []
  const write = (message: string): void => void problems.push(message)
  let hear: ((notice: Notice) => void) | undefined
  const teller = openNoticeTeller({
    onNotice: (listener) => {
      hear = listener
      return () => {
        hear = undefined
      }
    },
    turns: { keyOf: async (session) => keys[session] },
    journal: {
      post: async (place, parts, id) => {
        await onPost()
        posted.push({ place, texts: parts.map(({ text }) => text), id })
      },
    },
    catalog: {
      find: (_, platform) => {
        const spec = specs.find(({ id }) => id === platform)
        return spec && ({ spec } as never)
      },
    },
    rules: { of: () => ({ settings: { reply_prefix: prefix } }) as never },
    clock: createSystemClock(),
    log: { debug: write, info: write, warn: write, error: write },
  })
  return {
    tell: (session, text) => hear?.({ session, kind: 'result', text }),
    posted,
    problems,
    close: teller.close,
    isListening: () => hear !== undefined,
  }
}

test('a notice goes to the conversation of its session, in the order of telling, cut to what the platform takes', async () => {
  const { tell, posted, close } = open('> ')
  tell('ses_talk', 'started')
  tell('ses_talk', 'one two three four five six seven eight nine ten')
  await close()
  const place = { platform: 'talk', account: 'bot', conversation: 'room' }
  expect(posted.map((one) => one.place)).toEqual([place, place])
  expect(posted[0]?.texts).toEqual(['> started'])
  expect(posted[1]?.texts).toHaveLength(2)
  expect(Math.max(...(posted[1]?.texts.map(({ length }) => length) ?? []))).toBeLessThanOrEqual(40)
  expect(new Set(posted.map(({ id }) => id)).size).toBe(2)
})

test.each(['ses_door', 'ses_api', 'ses_gone', 'ses_unknown'])('%s has nobody who could be told', async (session) => {
  const { tell, posted, problems, close } = open()
  tell(session, 'done')
  await close()
  expect({ posted, problems }).toEqual({ posted: [], problems: [] })
})

test('files that a notice names stay where they are', async () => {
  const { tell, posted, close } = open()
  tell('ses_talk', 'MEDIA:/etc/passwd')
  await close()
  expect(posted.map(({ texts }) => texts)).toEqual([['MEDIA:/etc/passwd']])
})

test('one that cannot be written is noted in the log and keeps no other back; after the close nothing is told', async () => {
  let tries = 0
  const { tell, posted, problems, close, isListening } = open('', async () => {
    if (tries++ === 0) throw new Error('no store')
  })
  tell('ses_talk', 'one')
  tell('ses_talk', 'two')
  await close()
  tell('ses_talk', 'three')
  expect(posted.map(({ texts }) => texts)).toEqual([['two']])
  expect(problems).toEqual(['a notice was not told'])
  expect(isListening()).toBe(false)
})

test('a notice that cannot be written for want of room does not hold up the end', async () => {
  let tries = 0
  const { tell, posted, close } = open('', () => {
    tries += 1
    return Promise.reject(fail('STORE_FULL', { file: 'state.db' }))
  })
  tell('ses_talk', 'one')
  await expect.poll(() => tries).toBe(1)
  await close()
  expect(posted).toEqual([])
})
