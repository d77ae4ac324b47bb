// Every name of headwise/view, where there is a document.
import { expectTypeOf } from 'expect-type';
import { Tensor } from 'headwise';
import * as view from 'headwise/view';

const X = new Tensor([1], [1, 1, 1]);
const { AttentionHeadsElement, defineAttentionHeads, headColour, numHeadColours, ...otherViews } =
  view;
expectTypeOf<keyof typeof otherViews>().toEqualTypeOf<never>();
expectTypeOf(defineAttentionHeads).toBeCallableWith();
expectTypeOf(defineAttentionHeads).toBeCallableWith('head-map');
expectTypeOf(headColour(numHeadColours)).toEqualTypeOf<string>();
expectTypeOf<Tensor>().toExtend<view.AttentionWeights>();
expectTypeOf<HTMLElementTagNameMap['attention-heads']>().toEqualTypeOf<
  InstanceType<typeof AttentionHeadsElement>
>();
declare const heads: HTMLElementTagNameMap['attention-heads'];
heads.weights = X;
heads.weights = [X, { data: [1], shape: [1, 1, 1] }];
heads.weights = undefined;
heads.tokens = ['a'];
heads.words = { heads: 'Köpfe' };
expectTypeOf(heads.view).toEqualTypeOf<view.AttentionHeadsView>();
expectTypeOf<view.AttentionHeadsView>().toEqualTypeOf<'arcs' | 'map' | 'model'>();
expectTypeOf<[typeof heads.head, typeof heads.query]>().toEqualTypeOf<
  [number | undefined, number | undefined]
>();
expectTypeOf(heads.toSVG()).toEqualTypeOf<string>();
expectTypeOf<view.AttentionSelection>().toExtend<{ layer: number; query: number }>();
expectTypeOf<keyof view.AttentionHeadsWords>().toExtend<string>();
// @ts-expect-error there is no such view
heads.view = 'table';
