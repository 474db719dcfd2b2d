import { type Call, linkSignals } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { CallOther, ToolDone } from '../tool-turn.ts'

/** The calls that a running tool makes of others. */
export interface Others {
  /** The call of the tool itself; its signal fires when the tool has ended, too. */
  readonly within: Call
  readonly call: CallOther
  /** Stops what is still going on, and resolves when nothing is. */
  end(): Promise<void>
}

/** One tool that calls more of them does not know when to stop. */
const mostCalls = 1000

/** Lets calls of others run one after another, so that a person answers one question at a time, and none goes on behind the tool that made it. */
export function followOthers(given: Call, callOther: CallOther): Others {
  const life = linkSignals(given.signal)
  let last: Promise<unknown> = Promise.resolve()
  let count = 0
  return {
    within: { ...given, signal: life.signal },
    call: (other) => {
      count++
      const done = last.then((): Promise<ToolDone> => {
        life.signal.throwIfAborted()
        if (count > mostCalls) throw fail('TOOL_CALL_REFUSED', { tool: other.name, reason: `a tool makes ${mostCalls} calls at most` })
        return callOther(other)
      })
      last = done.catch(() => undefined)
      return done
    },
    async end() {
      life.abort(fail('INTERRUPTED'))
      await last
    },
  }
}
