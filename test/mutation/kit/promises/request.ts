import type { Call, HttpAdmit, HttpHandler, PlatformContext } from '@agent/plugin-sdk'
import { alterContext, atTime, type Declared, rowsOf, type Seed } from './fault.ts'

const requests = ({ door }: Declared): boolean => door === 'request'

type Run = PlatformContext['turns']['run']
const alteredTurns = (change: (run: Run) => Run): Seed =>
  alterContext(({ turns }) => ({ turns: { ...turns, run: change((request, call) => turns.run(request, call)) } }))

const alteredDoor = (change: (handler: HttpHandler) => HttpHandler): Seed =>
  alterContext(({ http }) => ({
    http: {
      route: (path, handler, ...more) => http.route(path, change(handler), ...more),
      listen: (options, handler, ...more) => http.listen(options, change(handler), ...more),
    },
  }))

const firstInput = alteredTurns((run) => {
  let first: Parameters<Run>[0]['input'] | undefined
  return (request, call) => {
    first ??= request.input
    return run({ ...request, input: first }, call)
  }
})

async function* cutFirst(events: ReturnType<Run>): ReturnType<Run> {
  let isCut = false
  for await (const event of events) {
    if (event.type === 'message.delta' && !isCut) isCut = true
    else if (event.type === 'message.complete') yield { ...event, text: event.text.slice(0, -1) }
    else yield event
  }
}

const never = new AbortController().signal

const allWell = alterContext(({ http }) => ({
  http: {
    ...http,
    listen: (options, handler, admit) => {
      const well: HttpHandler = async (request, call) => ({ ...(await handler(request, call)), status: 200 })
      const letIn: HttpAdmit = async (head, call) => {
        const refusal = await admit?.(head, call)
        return refusal && 'status' in refusal ? { ...refusal, status: 200 } : refusal
      }
      return http.listen(options, well, letIn)
    },
  },
}))

export const requestFaults = rowsOf('request', [
  [
    'twice',
    'a request runs two turns',
    requests,
    alteredTurns(
      (run) =>
        async function* (request, call) {
          for await (const _ of run(request, call));
          yield* run(request, call)
        },
    ),
  ],
  [
    'not-asked',
    'a turn is not told what was asked',
    requests,
    alteredTurns((run) => (request, call) => run({ ...request, input: '' as never }, call)),
  ],
  ['first-input', 'every turn is asked what the first was asked', requests, firstInput],
  ['cut', 'an answer loses a part', requests, alteredTurns((run) => (request, call) => cutFirst(run(request, call)))],
  [
    'goes-on',
    'a turn goes on where nobody waits for it any more',
    requests,
    alteredTurns((run) => (request, call: Call) => run(request, { ...call, signal: never })),
  ],
  [
    'second-fails',
    'the second request of a connection fails',
    requests,
    alteredDoor((handler) => {
      const isSecond = atTime(2)
      return async (request, call) => (isSecond() ? { status: 500 } : await handler(request, call))
    }),
  ],
  ['all-well', 'what was refused is answered as if all was well', requests, allWell],
  [
    'no-body',
    'an answer has no body',
    requests,
    alteredDoor((handler) => async (request, call) => ({ status: (await handler(request, call)).status })),
  ],
  [
    'hangs',
    'the second request of a connection is never answered',
    requests,
    alteredDoor((handler) => {
      const isSecond = atTime(2)
      return async (request, call) => (isSecond() ? await new Promise<never>(() => undefined) : await handler(request, call))
    }),
  ],
])
