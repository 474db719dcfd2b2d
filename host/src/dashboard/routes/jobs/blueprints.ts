import * as z from 'zod/mini'
import { withJobs } from '#rpc/jobs/with-desk.ts'
import { profileOwner } from '#tools/memory/owner.ts'
import type { BlueprintList, JobMade } from '../../api-blueprints.ts'
import { nothing, type Router } from '../../server/router.ts'

const text = z.string().check(z.maxLength(2000))
const filled = z.strictObject({ blueprint: text, slots: z.optional(z.record(z.string().check(z.maxLength(100)), text)) })

/** Templates for jobs. */
export function addBlueprints(router: Router): void {
  router.add({
    ...{ method: 'GET', url: '/api/cron/blueprints', takes: nothing },
    answer: async ({ context }): Promise<BlueprintList> => {
      const { renderForm } = await import('#jobs/blueprints/blueprints.ts')
      return withJobs(context, async (jobs) => ({ blueprints: (await jobs.blueprints()).map(renderForm) }))
    },
  })
  router.add({
    ...{ method: 'POST', url: '/api/cron/blueprints/instantiate', takes: filled },
    answer: async ({ context, input }): Promise<JobMade> => {
      const { fillBlueprint, findBlueprint } = await import('#jobs/blueprints/blueprints.ts')
      return withJobs(context, async (jobs) => {
        const wish = fillBlueprint(findBlueprint(await jobs.blueprints(), input.blueprint), input.slots ?? {})
        const { job, isNew } = await (await jobs.desk()).create(wish, { owner: profileOwner })
        const { id, name, schedule, zone, nextAt } = job
        return { job: { id, name, schedule, zone, nextAt }, isNew }
      })
    },
  })
}
