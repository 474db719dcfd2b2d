import { startFakeAnthropic } from '../../support/fakes/fake-anthropic.ts'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { type Body, type FakeRequest, type FakeVendor, listOf } from '../../support/fakes/fake-vendor.ts'
import type { Random } from '../random.ts'
import { answerIn, type Day, days, weatherAt } from './weather.ts'

export type ServiceName = keyof typeof days

export interface Service extends AsyncDisposable {
  readonly name: ServiceName
  readonly key: string
  readonly url: string
  /** What it was sent. */
  readonly requests: FakeVendor['requests']
  readonly day: Day
}

const keys: Readonly<Record<ServiceName, string>> = {
  first: 'sk-first-5f1c2d7a90',
  second: 'sk-second-b83e61c4d2',
  third: 'sk-third-07d9e2f6ab',
}

export interface ServicesOptions {
  /** The hour of the day, with its fraction. */
  readonly hour: () => number
  readonly random: Random
}

/** Three services with three keys, and different weather. */
export async function startServices({ hour, random }: ServicesOptions): Promise<readonly Service[]> {
  const start = async (name: ServiceName, open: typeof startFakeOpenai | typeof startFakeAnthropic): Promise<Service> => {
    const [key, day] = [keys[name], days[name]]
    const answers = (request: FakeRequest) => answerIn(weatherAt(day, hour()), continuationOf(request, random), random)
    const server = await open({ key, models: [`model-${name}`], answers })
    return Object.assign(server, { name, key, day })
  }
  return Promise.all([start('first', startFakeOpenai), start('second', startFakeAnthropic), start('third', startFakeOpenai)])
}

/** What is right for a message: no word of it occurs twice. */
export function rightAnswer(token: string): string {
  return `About ${token}: ${Array.from({ length: 30 }, (_, at) => `${token}-${at}`).join(' ')} done.`
}

export const askFor = (token: string): string => `Tell me about ${token}, please.`

/** The token that a request asks about. */
export function tokenOf(request: Pick<FakeRequest, 'body'>): string | undefined {
  return messagesOf(request.body)
    .map(({ text }) => /Tell me about (\S+), please\./.exec(text)?.[1])
    .findLast((token) => token !== undefined)
}

/** The whole answer; or the rest of it, where its beginning was sent along: exactly, with the last words again, or from the beginning. */
function continuationOf(request: FakeRequest, random: Random): string {
  const whole = rightAnswer(tokenOf(request) ?? 'nothing')
  const messages = messagesOf(request.body)
  const said = /was cut off/.test(messages.at(-1)?.text ?? '') ? (messages.at(-2)?.text ?? '') : ''
  if (!whole.startsWith(said)) return `Wrong: ${said}`
  const again = random.pick([said.length, Math.max(0, said.length - 40), 0])
  return whole.slice(again)
}

function messagesOf(body: Body): readonly { readonly role: unknown; readonly text: string }[] {
  return listOf(body.messages).map(({ role, content }) => ({
    role,
    text:
      typeof content === 'string'
        ? content
        : listOf(content)
            .map(({ text }) => text ?? '')
            .join(''),
  }))
}
