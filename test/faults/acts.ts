import { fileURLToPath } from 'node:url'
import { hostileActs } from '../../host/src/kernel/extension-host/testing/hostile-acts.ts'
import { tryActs } from '../../host/src/kernel/extension-host/testing/try-acts.ts'

const program = fileURLToPath(new URL('../../host/dist/extension-host.mjs', import.meta.url))

/** What a hostile plugin can do in a sandbox and without one, act by act; false when one succeeds in a sandbox. */
export async function runActs(): Promise<boolean> {
  let held = true
  for (const kind of ['plain', 'wide'] as const) {
    const [boxed, bare] = [await tryActs(program, kind, 'auto'), await tryActs(program, kind, 'off')]
    console.log(
      `\n| a plugin that declares ${kind === 'plain' ? 'nothing' : 'any network, the whole disk and every program'} | in a sandbox | without |`,
    )
    console.log('| --- | --- | --- |')
    for (const { act, harms } of hostileActs[kind]) {
      const without = harms ? 'not tried' : bare.succeeded.includes(act) ? 'yes' : 'no'
      console.log(`| ${act} | ${boxed.succeeded.includes(act) ? 'YES' : 'no'} | ${without} |`)
    }
    console.log(
      `In a sandbox ${boxed.succeeded.length} of ${boxed.tried} acts succeed, without one ${bare.succeeded.length} of the ${bare.tried} that harm no machine.`,
    )
    for (const harm of boxed.harm) console.log(harm)
    held &&= boxed.succeeded.length === 0 && boxed.harm.length === 0
  }
  return held
}
