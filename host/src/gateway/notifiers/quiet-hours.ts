/** When people want to hear nothing: from an hour to another one, by the clock of a zone. */
export interface QuietHours {
  /** `22:00`. Without both of them nothing is quiet. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** IANA name; empty: that of this machine. */
  readonly zone?: string | undefined
}

const minuteMs = 60_000
const dayMinutes = 24 * 60

/** The first minute after quiet hours that hold at a moment; undefined where none hold. Minutes are gone through one by one, so that clock changes are right. */
export function endOfQuiet(at: number, { from, to, zone = '' }: QuietHours): number | undefined {
  if (from === undefined || to === undefined) return undefined
  const [begin, end] = [minuteOfDay(from), minuteOfDay(to)]
  const format = clockOf(zone)
  const isQuiet = (moment: number): boolean => {
    const minute = minuteOfDay(format.format(moment))
    return begin <= end ? minute >= begin && minute < end : minute >= begin || minute < end
  }
  if (!isQuiet(at)) return undefined
  let moment = at - (at % minuteMs)
  for (let passed = 0; passed < 2 * dayMinutes && isQuiet(moment); passed++) moment += minuteMs
  return moment
}

/** Where nobody knows the zone, which the check of the settings says, the clock of this machine holds. */
function clockOf(zone: string): Intl.DateTimeFormat {
  const shown = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  try {
    return new Intl.DateTimeFormat('en', zone === '' ? shown : { ...shown, timeZone: zone })
  } catch (error) {
    if (error instanceof RangeError) return new Intl.DateTimeFormat('en', shown)
    throw error
  }
}

function minuteOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}
