import { existsSync } from 'node:fs'
import { fail, fromWireError } from '@agent/plugin-sdk/errors'
import * as z from 'zod/mini'
import { nameOfChannel } from '#gateway/directory/channel-directory.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { withStore } from '#rpc/home/open-home-store.ts'
import type { UnknownSend } from '#store/journal.ts'
import type { Changed } from '../api.ts'
import type { UnknownAnswer, UnknownAnswers } from '../api-gateway.ts'
import { nothing, type Router } from '../server/router.ts'

const shownLength = 300
const fate = z.enum(['arrived', 'lost'])

const settled: Readonly<Record<z.infer<typeof fate>, string>> = {
  arrived: 'It counts as sent.',
  lost: 'It is given up: nobody sends it any more.',
}

/** Answers of which nobody knows whether they arrived, and what a person can say of each. */
export function addUnknownSends(router: Router): void {
  router.add({
    ...{ method: 'GET', url: '/api/gateway/unknown', takes: nothing },
    answer: async ({ context }): Promise<UnknownAnswers> => {
      // Nothing is made for a look.
      if (!existsSync(openHomeOf(context).files.state)) return { sends: [] }
      return withStore(context, async ({ journal, kv }) => {
        const sends = await journal.unknownSends()
        return {
          sends: await Promise.all(sends.map(async (send) => view(send, await nameOfChannel(kv, send.platform, send.conversation)))),
        }
      })
    },
  })
  router.add({
    ...{ method: 'POST', url: '/api/gateway/unknown/:id/resend', takes: nothing },
    answer: async ({ context, id }): Promise<Changed> => {
      if (!(await withStore(context, ({ journal }) => journal.resend(numberOf(id))))) throw notUnknown(id)
      return { said: ['It is in the queue again: it is sent as soon as its platform is connected.'], live: true }
    },
  })
  router.add({
    ...{ method: 'POST', url: '/api/gateway/unknown/:id/settle', takes: z.strictObject({ fate }) },
    answer: async ({ context, id, input }): Promise<Changed> => {
      if (!(await withStore(context, ({ journal }) => journal.endUnknown(numberOf(id), input.fate)))) throw notUnknown(id)
      return { said: [settled[input.fate]], live: true }
    },
  })
}

function view({ account: _, error, text, ...send }: UnknownSend, name: string | undefined): UnknownAnswer {
  const problem = fromWireError(error).message
  return { ...send, text: text.slice(0, shownLength), problem, ...(name === undefined ? {} : { name }) }
}

/** No row has the number of what is none. */
const numberOf = (id: string): number => (/^\d{1,15}$/.test(id) ? Number(id) : -1)

/** Somebody else was quicker, in another page or by a command. */
function notUnknown(id: string): Error {
  return fail('USAGE', { problem: `There is no answer ${id.slice(0, 20)} of unknown fate any more.`, try: 'agent gateway status' })
}
