/** What goes wrong with jobs and blueprints; a part of the table of errors. */
export const jobErrors = {
  SCHEDULE_INVALID: {
    status: 400,
    text: (p: { schedule: string; problem: string }) =>
      `"${p.schedule}" is no schedule: ${p.problem}. Examples: daily at 9:00, weekdays at 8:30, every 2h, in 30m, 2026-05-01T08:00, 0 9 * * mon-fri.`,
  },
  ZONE_UNKNOWN: {
    status: 400,
    text: (p: { zone: string }) => `There is no time zone "${p.zone}". Name one as in Europe/Berlin or America/New_York, or UTC.`,
  },
  JOB_NOT_FOUND: { status: 404, text: (p: { job: string }) => `There is no job "${p.job}". agent cron list shows them.` },
  JOB_AMBIGUOUS: {
    status: 409,
    text: (p: { job: string; matches: string }) => `"${p.job}" fits several jobs: ${p.matches}. Name one by its id.`,
  },
  JOB_INVALID: { status: 400, text: (p: { field: string; problem: string }) => `The job was not kept: ${p.field} ${p.problem}.` },
  JOB_LOST: {
    status: 500,
    text: () => 'The gateway ended while it ran. Nobody knows how far it came, so it is not run again by itself.',
  },
  JOB_UNFINISHED: {
    status: 500,
    text: () => 'The agent took all of its steps and was not done. Ask for less at once, or allow more steps (agent.max_turns).',
  },
  JOB_SCRIPT: {
    status: 500,
    text: (p: { script: string; problem: string }) => `The script ${p.script} ${p.problem}.`,
  },
  JOB_MISSED: { status: 503, text: (p: { times: string }) => `No gateway had the time to run it: ${p.times}.` },
  BLUEPRINT_NOT_FOUND: {
    status: 404,
    text: (p: { blueprint: string; known: string }) => `There is no blueprint "${p.blueprint}". There are: ${p.known}.`,
  },
  BLUEPRINT_AMBIGUOUS: {
    status: 409,
    text: (p: { blueprint: string; matches: string }) => `"${p.blueprint}" fits several blueprints: ${p.matches}. Name one of them.`,
  },
  BLUEPRINT_SLOTS: {
    status: 400,
    text: (p: { blueprint: string; problems: string }) => `The blueprint ${p.blueprint} was not filled: ${p.problems}.`,
  },
} as const
