/** Gives new style elements the word of the page's policy: the terminal writes its colours and the size of its letters into some. What is given back ends it. */
export function allowStyles(page: Document): () => void {
  const nonce = page.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
  const original = page.createElement
  const createElement = (name: string, options?: ElementCreationOptions): HTMLElement => {
    const element = original.call(page, name, options)
    if (name.toLowerCase() === 'style') element.nonce = nonce
    return element
  }
  page.createElement = createElement as Document['createElement']
  return () => {
    page.createElement = original
  }
}
