import * as z from 'zod'
import { id } from './id-form.ts'

/** Names the application of a session. */
export const ofApplication = z.strictObject({ applicationId: id.optional() })
