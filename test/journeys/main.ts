import { parseArgs } from 'node:util'
import { carryingHops } from '../support/record-journey.ts'
import { listJourneys } from './journeys.ts'

const { positionals, values } = parseArgs({ allowPositionals: true, options: { hops: { type: 'boolean' } } })
for (const [name, travel] of await listJourneys()) {
  if (!positionals.every((word) => name.includes(word))) continue
  const journey = await travel()
  const carrying = carryingHops(journey)
  process.stdout.write(
    `${name}: ${journey.files.length} files, ${journey.hops.length} hops, ${carrying.length} between platform, gateway and agent\n`,
  )
  if (values.hops) for (const { from, to } of carrying) process.stdout.write(`  ${from} → ${to}\n`)
}
