import type { Random } from '../../base/ports/random.ts'
import { hashKeyText, isSecret, newSecret, randomBase62 } from './key-text.ts'

/** A new customer key: what is shown once, what is kept, and what may be shown again. */
export interface CustomerKeyText {
  /** `svc_cust_{slug}.{component}.{secret}`. */
  readonly value: string
  readonly component: string
  /** What a direct call sends in `X-API-Key`. */
  readonly secret: string
  /** Hex SHA-256 of the secret. */
  readonly hash: string
  /** `svc_cust_{slug}.{component}`. */
  readonly prefix: string
}

const lead = 'svc_cust_'
const componentLength = 12
const compound = /^svc_cust_[a-z0-9-]{3,40}\.[0-9A-Za-z]{12}\.[0-9A-Za-z]{46}$/

/** A new customer key; `organization` is the name that its slug is made of. */
export function newCustomerKey(random: Random, organization: string): CustomerKeyText {
  const component = randomBase62(random, componentLength)
  const secret = newSecret(random)
  const prefix = `${lead}${slugOf(organization)}.${component}`
  return { value: `${prefix}.${secret}`, component, secret, hash: hashKeyText(secret), prefix }
}

/** Whether a text has the form and checksum of the segment that calls send. */
export const isCustomerSecret: (text: string) => boolean = isSecret

/** Whether a text is a whole key; calls send its last segment alone. */
export function isCompoundKey(text: string): boolean {
  return compound.test(text)
}

/** `[a-z0-9-]{3,40}` of an organization's name. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '')
  return slug.length >= 3 ? slug : `org-${slug}`.replace(/-+$/, '')
}
