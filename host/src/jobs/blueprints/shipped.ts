import type { Blueprint, BlueprintSlot } from './blueprint.ts'

const time = (value: string): BlueprintSlot => ({ name: 'time', type: 'time', label: 'At what time', default: value })

const deliver: BlueprintSlot = {
  ...{ name: 'deliver', type: 'enum', label: 'Where the answer goes', default: 'origin', options: ['origin', 'local'], strict: false },
  help: 'origin is the conversation in which the job is made; a platform stands for its home channel.',
}

const usual = { skills: [], tags: [] } as const

/** The blueprints that come with the program. */
export const shipped: readonly Blueprint[] = [
  {
    ...usual,
    ...{ key: 'morning-brief', title: 'Morning brief', category: 'daily', tags: ['news', 'calendar'] },
    description: 'A short view of the day, each morning.',
    schedule_template: '{minute} {hour} * * *',
    prompt_template:
      'Write a short brief for the morning: what is planned today, what is due, and what is new since yesterday that matters here. Use the tools that you have. Leave out what you cannot find.',
    slots: [time('08:00'), deliver],
  },
  {
    ...usual,
    ...{ key: 'important-mail', title: 'Important mail', category: 'mail', tags: ['mail'] },
    description: 'Looks for mail that matters, and tells of nothing else.',
    schedule_template: 'every {interval_min}m',
    prompt_template:
      'Look for mail that came within the last {interval_min} minutes. Tell of each message that is important: who wrote, what about, what is wanted. Important is: {criteria}. If there is none, answer [SILENT].',
    slots: [
      { name: 'interval_min', type: 'enum', label: 'Every how many minutes', default: '30', options: ['15', '30', '60'] },
      { name: 'criteria', type: 'text', label: 'What is important', default: 'it asks me for something, or it has a deadline' },
      deliver,
    ],
  },
  {
    ...usual,
    ...{ key: 'weekly-review', title: 'Weekly review', category: 'weekly', tags: ['review'] },
    description: 'Looks back at the week, and on to the next one.',
    schedule_template: '{minute} {hour} * * {dow}',
    prompt_template:
      'Write a review of the week: what was done, what stays open, what was decided. Then name the three things that matter most in the next week. Use earlier conversations and the files that you have.',
    slots: [
      { name: 'day', type: 'enum', label: 'On which day', default: 'sunday', options: ['sunday', 'monday', 'friday', 'saturday'] },
      time('18:00'),
      deliver,
    ],
  },
  {
    ...usual,
    ...{ key: 'workday-start', title: 'Start of the workday', category: 'daily', tags: ['work'] },
    description: 'A plan for the day, from Monday to Friday.',
    schedule_template: '{minute} {hour} * * 1-5',
    prompt_template:
      'Make a plan for this workday: what is due today, what was left open yesterday, and in which order to do it. Keep it to ten lines.',
    slots: [time('09:00'), deliver],
  },
  {
    ...usual,
    ...{ key: 'custom-reminder', title: 'Reminder', category: 'general', tags: ['reminder'] },
    description: 'Reminds of something, on the days and at the time that you choose.',
    schedule_template: '{minute} {hour} * * {dow}',
    prompt_template: 'Remind me of this, in one friendly sentence and without any tool: {what}',
    slots: [
      { name: 'what', type: 'text', label: 'What to remind of', default: '' },
      time('14:00'),
      {
        name: 'recurrence',
        type: 'weekdays',
        label: 'On which days',
        default: 'everyday',
        options: ['everyday', 'weekdays', 'weekends'],
        strict: false,
      },
      deliver,
    ],
  },
]
