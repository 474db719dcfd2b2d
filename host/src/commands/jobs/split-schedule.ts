import { fail, isAgentError } from '@agent/plugin-sdk/errors'

/** No schedule has more words. */
const mostWords = 8

/** What stands in front of a text and is a schedule, in quotes or not, and the text behind it. The longest one counts. */
export async function splitSchedule(text: string): Promise<{ readonly schedule: string; readonly prompt: string }> {
  const quoted = /^["“']([^"”']+)["”']\s*([\s\S]*)$/.exec(text.trim())
  if (quoted) return { schedule: quoted[1] ?? '', prompt: quoted[2] ?? '' }
  const { parseSchedule } = await import('#jobs/parse-schedule.ts')
  const words = text.trim().split(/\s+/)
  for (let count = Math.min(words.length, mostWords); count > 0; count--) {
    const schedule = words.slice(0, count).join(' ')
    try {
      parseSchedule(schedule, { zone: 'UTC', now: 0 })
      return { schedule, prompt: words.slice(count).join(' ') }
    } catch (error) {
      if (!isAgentError(error)) throw error
    }
  }
  throw fail('SCHEDULE_INVALID', { schedule: words.slice(0, 4).join(' '), problem: 'it begins with none of the known forms' })
}
