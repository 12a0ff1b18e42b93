export type { Brand } from './brand.ts'
export { type PortalSiteOptions, portalSite } from './site.ts'
