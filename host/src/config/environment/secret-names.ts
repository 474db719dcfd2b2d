// GIT_AUTHOR_NAME and the like are no secrets; AUTHORIZATION is.
const secretWords = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|PASSWD|AUTH(?!OR(?!I))/i

/** True for a variable that probably holds a secret, going by its name alone. */
export function isSecretName(name: string): boolean {
  return secretWords.test(name)
}
