import { deltasOf, type FakeAnswer } from '../../support/fakes/fake-vendor.ts'
import type { Random } from '../random.ts'

/** What a service does to a request while such weather lasts; `text` is what it would say. */
const weathers = {
  fine: (text) => ({ text }),
  'rate limit, 20 s': (text, random) =>
    random.next() < 0.6 ? refuse(429, 'Rate limit reached.', 'rate_limit_exceeded', { 'retry-after': '20' }) : { text },
  'rate limit': (text, random) => (random.next() < 0.6 ? refuse(429, 'Rate limit reached.', 'rate_limit_exceeded') : { text }),
  'rate limit, 15 min': () => refuse(429, 'Rate limit reached.', 'rate_limit_exceeded', { 'retry-after': '900' }),
  'no money': () => refuse(402, 'Insufficient credits.', 'insufficient_quota'),
  'key expired': () => refuse(401, 'Incorrect API key provided.', 'invalid_api_key'),
  'error 500': (text, random) => (random.next() < 0.5 ? refuse(500, 'The server had an error.', 'server_error') : { text }),
  'at capacity': () => refuse(503, 'The model is overloaded.', 'overloaded_error'),
  'overload in a stream': (text) => ({ text: firstHalf(text), error: { type: 'overloaded_error', message: 'Overloaded' } }),
  cut: (text, random) => (random.next() < 0.6 ? { text: firstHalf(text), cut: true } : { text }),
  dead: () => ({ drop: true }),
  silent: () => ({ hang: 'headers' }),
  'a web page': () => ({ raw: { type: 'text/html', body: '<html><body>Sign in</body></html>' } }),
  nonsense: () => ({ raw: { type: 'text/event-stream', body: 'data: {"choices": [\n\ndata: 17\n\nevent: what\n\n' } }),
  'an empty answer': () => ({ text: '' }),
} as const satisfies Record<string, (text: string, random: Random) => FakeAnswer>

export type Weather = keyof typeof weathers

/** The weather of one service, hour by hour; `wild` is another one with each request. */
export type Day = readonly (Weather | 'wild')[]

const hours = 24
const kinds = Object.keys(weathers) as [Weather, ...Weather[]]

export const days: Readonly<Record<'first' | 'second' | 'third', Day>> = {
  first: [
    ...(['fine', 'rate limit, 20 s', 'fine', 'rate limit', 'fine', 'no money', 'overload in a stream', 'cut'] as const),
    ...(['dead', 'fine', 'nonsense', 'key expired', 'fine', 'error 500', 'silent', 'rate limit, 15 min'] as const),
    ...(['an empty answer', 'at capacity', 'a web page', 'fine', 'dead', 'cut', 'wild', 'fine'] as const),
  ],
  second: Array.from(
    { length: hours },
    (_, hour) => (({ 7: 'cut', 8: 'at capacity', 11: 'error 500', 20: 'no money', 22: 'wild' })[hour] as Weather) ?? 'fine',
  ),
  third: Array.from({ length: hours }, (_, hour) => (({ 20: 'key expired', 22: 'wild' })[hour] as Weather) ?? 'fine'),
}

export function weatherAt(day: Day, hour: number): Weather | 'wild' {
  return day[Math.floor(hour) % hours] ?? 'fine'
}

export function answerIn(weather: Weather | 'wild', text: string, random: Random): FakeAnswer {
  return weathers[weather === 'wild' ? random.pick(kinds) : weather](text, random)
}

function refuse(status: number, message: string, code: string, headers?: Record<string, string>): FakeAnswer {
  return { refuse: { status, message, type: code, code, ...(headers ? { headers } : {}) } }
}

function firstHalf(text: string): readonly string[] {
  const words = deltasOf(text)
  return words.slice(0, Math.ceil(words.length / 2))
}
