const secret = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|PASSWD|AUTH/i

/** What a script sees of an environment: nothing whose name speaks of a secret. */
export function cleanEnvironment(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secret.test(name)))
}
