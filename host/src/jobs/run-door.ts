/** The door of runs of jobs, as session lists show it. */
export const runDoor = 'cron'
