import type { Panel, PanelAnswer, PanelRequest } from '@agent/plugin-sdk'

type Conversations = Parameters<Panel['open']>[0]['conversations']
type Length = Awaited<ReturnType<Conversations['list']>>[number]
type Look = Awaited<ReturnType<Conversations['look']>>
type Method = (request: PanelRequest) => Promise<PanelAnswer>

const reasons = { threshold: 'it had grown long', overflow: 'a model took no more', asked: 'somebody asked for it' } as const

const panel: Panel = {
  async open({ conversations }) {
    const look = shareLooks(conversations.look)
    const methods: Readonly<Record<string, Method>> = {
      conversations: async () => ({
        rows: (await conversations.list()).map((found) => ({
          ...{ session: found.session, title: found.title, source: found.source, lastAt: found.lastAt },
          ...{ fills: sayFill(found), shorter: sayTimes(found.compressions) },
        })),
      }),
      conversation: async ({ item = '' }) => {
        const found = await look(item)
        return { item: { title: found.title, messages: found.messages, fills: sayFill(found), limit: sayLimit(found) } }
      },
      parts: async ({ item = '' }) => ({ points: (await look(item)).parts.map(({ name, tokens: value }) => ({ name, value })) }),
      compressions: async ({ item = '' }) => ({
        rows: (await look(item)).compressions.map(({ reason, ...rest }) => ({ ...rest, why: reasons[reason] })),
      }),
      notes: async ({ item = '' }) => ({ text: (await look(item)).notes || 'There are none: the model hears all of it.' }),
      prompt: async ({ item = '' }) => ({ text: fence((await look(item)).prompt) }),
      shorten: async ({ item = '', input }) => ({ said: await conversations.compress({ session: item, keep: String(input.keep) }) }),
    }
    return { run: async (request) => (methods[request.method] as Method)(request) }
  },
}

export default panel

/** The blocks of one page ask at once: they look once together. */
function shareLooks(ask: Conversations['look']): (session: string) => Promise<Look> {
  const going = new Map<string, Promise<Look>>()
  return async (session) => {
    const found = going.get(session) ?? ask({ session })
    going.set(session, found)
    return await found.finally(() => going.delete(session))
  }
}

const say = (tokens: number): string => tokens.toLocaleString('en-US')

function sayFill({ tokens, window }: Pick<Length, 'tokens' | 'window'>): string {
  if (tokens === undefined) return 'not known yet'
  if (window === undefined) return say(tokens)
  return `${say(tokens)} of ${say(window)}, ${Math.round((tokens / window) * 100)} %`
}

function sayLimit({ window, limit }: Pick<Length, 'window' | 'limit'>): string {
  if (window === undefined) return 'not known'
  return limit === undefined ? 'never' : say(limit)
}

const sayTimes = (times: number): string => (times === 0 ? '' : times === 1 ? 'once' : `${times} times`)

/** The text as it is: no line of it ends the block. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const mark = '`'.repeat(longest + 1)
  return `${mark}text\n${text}\n${mark}`
}
