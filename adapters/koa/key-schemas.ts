import { longest } from '@countersign/core/ledger'
import * as z from 'zod'

const id = z.string().min(1).max(longest.id)

export const issueCustomerKey = z.strictObject({ applicationId: id })
