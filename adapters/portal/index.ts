export { type PortalSiteOptions, portalSite } from './site.ts'
