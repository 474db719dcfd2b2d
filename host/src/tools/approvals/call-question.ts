import type { ToolManifest, Wire } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { ApprovalQuestion } from './consent.ts'
import type { Denials, Effects } from './denials.ts'

/** As much of a call as a person reads. */
const longestCall = 2000
/** As much of one argument, where the call is longer. */
const shortestPart = 200
const longestRefused = 200

interface AskedCall {
  /** The turn and the session whose refusals hold. */
  readonly turn: string
  readonly session: string
  readonly denials: Denials
  readonly mask: (text: string) => string
}

/**
 * A tool of which nobody knows what it does: the question is about the call as a whole, and its rule about the tool. Throws APPROVAL_DENIED
 * for a call that was refused in this turn.
 */
export function questionAbout(
  { name, asks = '', rule, onlyPeople = false }: ToolManifest,
  args: Wire,
  { turn, session, denials, mask }: AskedCall,
): ApprovalQuestion {
  const subject = `${name} ${shownArguments(args, mask)}`
  const effects: Effects = { text: shortened(subject, longestRefused), names: [name], paths: [], call: `${name} ${sorted(args)}` }
  const refusals = [turn, ...(onlyPeople ? [session] : [])].flatMap((each) => denials.repeated(each, effects) ?? [])
  const repeated = refusals.find(({ sure }) => sure) ?? refusals[0]
  if (repeated?.sure) {
    const reason = `it is what was refused in this ${onlyPeople ? 'session' : 'turn'}: ${repeated.text}`
    throw fail('APPROVAL_DENIED', { subject, reason, setting: 'Say what you wanted to do and ask in words.' })
  }
  return {
    tool: name,
    subject,
    dangers: [{ name: rule === undefined ? name : `${name}@${rule}`, sentence: asks, harm: 'machine', onlyPeople }],
    ...(repeated ? { refused: repeated.text } : {}),
    prove: async () => true,
    onDenied: () => {
      denials.add(turn, effects)
      if (onlyPeople) denials.add(session, effects)
    },
  }
}

/** The order of the arguments makes no other call. */
const sorted = (args: Wire): string =>
  JSON.stringify(args, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )

/** A long one loses of each argument the middle: what a call does may stand at its end, behind much that says nothing. */
function shownArguments(args: Wire, mask: AskedCall['mask']): string {
  const whole = mask(JSON.stringify(args))
  if (whole.length <= longestCall || typeof args !== 'object' || args === null || Array.isArray(args)) return shortened(whole, longestCall)
  const entries = Object.entries(args)
  const share = Math.max(shortestPart, Math.floor(longestCall / entries.length))
  const parts = entries.map(
    ([name, value]) => `${shortened(JSON.stringify(name), shortestPart)}:${shortened(mask(JSON.stringify(value)), share)}`,
  )
  return shortened(`{${parts.join(',')}}`, 3 * longestCall)
}

function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text
  const half = Math.floor(longest / 2)
  const left = (text.length - 2 * half).toLocaleString('en')
  return `${text.slice(0, half)} [… ${left} characters are left out …] ${text.slice(-half)}`
}
