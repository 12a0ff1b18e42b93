/** The name of these pages, as whoever serves them chose it. */
export const brandName: string =
  document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content || 'Countersign'

/** The address of their logo; null where there is none but the icon. */
export const logo: string | null =
  document.querySelector<HTMLLinkElement>('link[data-logo]')?.href ?? null
