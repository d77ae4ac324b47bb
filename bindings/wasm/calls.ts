// Compiles only if the calls that glue.d.ts declares are those that embind.cpp and embind_models.cpp register, with as
// many arguments, and results of the same kind. core.ts hands on nine arguments.
import type { MainModule } from 'headwise-embind';
import type { Core } from 'headwise-glue';

type Call = (...numbers: never[]) => unknown;

type Calls<Of> = { [Name in keyof Of as Of[Name] extends Call ? Name : never]: Of[Name] };

type Signatures<Of> = {
  [Name in keyof Of]: Of[Name] extends (...numbers: infer Numbers) => infer Result
    ? { arguments: Numbers['length']; result: Result extends number ? 'number' : 'none' }
    : never;
};

export const declared = (registered: Signatures<MainModule>): Signatures<Calls<Core>> => registered;
export const registered = (of: Signatures<Calls<Core>>): Signatures<MainModule> => of;
type Counts = Signatures<Calls<Core>>[keyof Calls<Core>]['arguments'];
export const handedOn = (count: Counts): 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 => count;
