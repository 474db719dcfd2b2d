import type { OpenAccount } from './account.ts'
import { readKeys, readProfile } from './aws-profile.ts'
import { signRequest } from './aws-signature.ts'

/** Keys of an AWS account, read again for each request: other programs renew them in their files. */
export const openAwsAccount: OpenAccount = async (deps) => {
  const { region } = await readProfile(deps)
  return {
    variables: region ? { AWS_DEFAULT_REGION: region } : {},
    credential: {
      async authorize(request) {
        const keys = await readKeys(deps)
        return signRequest(request, {
          ...keys,
          service: 'bedrock',
          region: regionOf(request.url, deps.environment, region),
          now: deps.clock.now(),
        })
      },
    },
  }
}

/** An address of the vendor names its region; another address, such as a private one, is signed for the region that was set. */
function regionOf(url: URL, environment: { get(name: string): string | undefined }, ofProfile: string | undefined): string {
  const named = /^bedrock(?:-runtime)?(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$/.exec(url.hostname)?.[1]
  return named ?? (environment.get('AWS_REGION') || environment.get('AWS_DEFAULT_REGION') || ofProfile || 'us-east-1')
}
